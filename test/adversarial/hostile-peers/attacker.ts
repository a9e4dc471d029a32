/** The attackers' process, with a low CPU priority: it creates the requested peers and counts their messages. */
import { setPriority } from 'node:os'
import { type Enode, parseEnode } from '#types/enode.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { attacks as allAttacks, SPAM } from './attacks.ts'
import { type Figures, HostilePeer, type Turn } from './hostile-peer.ts'
import { signSpam } from './public-attacks.ts'

export interface Order {
  /** Attacks that run at the same time. */
  readonly attacks: readonly string[]
  readonly seconds: number
  readonly peers: number
  readonly targets: readonly string[]
  readonly genesisText: string
  /** Funded accounts that may send spam. */
  readonly spamSenders: number
}

const LOW_PRIORITY = 5
const BEGIN_MAX_MS = 60_000
const PAUSE_MS = 100
/** An attack that is not complete by then has failed. */
const COMPLETE_MAX_SECONDS = 600
setPriority(LOW_PRIORITY)
process.once('disconnect', () => process.exit())

process.on('message', (order: Order) => {
  carryOut(order).then(
    (figures) => process.send!(figures),
    (error: unknown) => {
      throw error
    },
  )
})

async function carryOut({
  attacks,
  seconds,
  peers,
  targets,
  genesisText,
  spamSenders,
}: Order): Promise<Figures> {
  const verdict = parseGenesis(genesisText)
  if (!verdict.ok) throw new Error('Cannot read the genesis file.')
  const { consensus } = verdict.genesis.config
  const figures: Figures = { connections: 0, messages: 0, ended: 0, seconds: 0 }
  const enodes: readonly Enode[] = targets.map((target) => parseEnode(target))
  const spam = attacks.includes(SPAM) ? await signSpam(spamSenders) : { transactions: [] }
  const chosen = allAttacks(spam, enodes.length).filter(({ name }) => attacks.includes(name))
  const over = new AbortController()
  const turn: Turn = { endsAtMs: Number.POSITIVE_INFINITY }
  const speaking = chosen.filter((attack) => attack.peers !== undefined)
  const hostile = Array.from({ length: speaking.length === 0 ? 0 : peers }, (_, at) => {
    const { protocol, conduct } = speaking[at % speaking.length]!.peers!
    return new HostilePeer({ protocol, conduct, targets: enodes, consensus, figures, turn })
  })
  const running = chosen.map((attack) => attack.run?.(enodes, over.signal, figures))
  await Promise.all(hostile.map((peer) => peer.start()))
  await untilBegun(figures)
  const progress = chosen.length === 1 ? chosen[0]!.peers?.conduct.progress : undefined
  const beganMs = performance.now()
  turn.endsAtMs = beganMs + (progress === undefined ? seconds : COMPLETE_MAX_SECONDS) * 1_000
  await pause(seconds * 1_000)
  while (progress !== undefined && progress.done() < progress.of && performance.now() < turn.endsAtMs)
    await pause(PAUSE_MS)
  if (progress !== undefined) figures.progress = { of: progress.of, done: progress.done() }
  turn.endsAtMs = performance.now()
  figures.seconds = (turn.endsAtMs - beganMs) / 1_000
  over.abort()
  await Promise.all([...running, ...hostile.map((peer) => peer.stop())])
  return figures
}

/** Waits for the handshakes, which take seconds on a busy machine and are not part of the attack. */
async function untilBegun(figures: Figures): Promise<void> {
  const beganMs = performance.now()
  while (figures.connections + figures.messages === 0 && performance.now() - beganMs < BEGIN_MAX_MS)
    await pause(PAUSE_MS)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
