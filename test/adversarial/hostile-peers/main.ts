/**
 * npm run hostile-peers [-- --seconds 1800 --peers 25 --rate 100 --senders 100000 names…] runs four real validators under
 * load against hostile peers. The peers repeat every attack that once succeeded, first one by one, then all at once. The nodes
 * must agree and mine every accepted transaction. On a quiet machine no gap between blocks may exceed two block
 * periods. Memory may grow by at most 150 MB more than a control node's, which has the same load and no attackers,
 * because caches and heaps grow for many minutes in any node.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Lab, pause } from '../../acceptance/network/lab.ts'
import type { Member, Place } from '../../acceptance/network/member.ts'
import { richAlloc } from '../../acceptance/process/load-senders.ts'
import { watchMachineOf } from '../../support/busy-machine.ts'
import { freePort } from '../../support/free-port.ts'
import { memoryOf } from '../../support/memory-of.ts'
import { ownChild } from '../../support/own-child.ts'
import type { Order } from './attacker.ts'
import { attacks as allAttacks } from './attacks.ts'
import type { Figures } from './hostile-peer.ts'
import { signSpam } from './public-attacks.ts'

const VALIDATORS = 4
const PERIOD_MS = 1_000
const TIMEOUT_SECONDS = 4
const MAX_GAP_MS = 2 * PERIOD_MS
const MAX_GROWTH_MB = 150
const LOOK_EVERY_MS = 250
/** Turns for all attacks at once. */
const COMBINED_TURNS = 3
/** Blocks until the code is compiled. */
const WARM_UP_BLOCKS = 20

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1800' },
    peers: { type: 'string', default: '25' },
    rate: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    senders: { type: 'string', default: '100000' },
  },
  allowPositionals: true,
})
const spamSenders = Number(values.senders)
const names = allAttacks({ transactions: [] }, VALIDATORS)
  .map(({ name }) => name)
  .filter((name) => positionals.length === 0 || positionals.includes(name))
const turnSeconds = Number(values.seconds) / (names.length + COMBINED_TURNS)
const problems: string[] = []
let held = 0

const lab = new Lab({
  periodMs: PERIOD_MS,
  timeoutSeconds: TIMEOUT_SECONDS,
  seed: Number(values.seed),
  places: await places(),
  validators: VALIDATORS,
  args: ['--discovery-enabled=true'],
  alloc: richAlloc((await signSpam(spamSenders)).senders),
  // Blob transactions exist from Cancun on.
  forks: { cancunTime: 0 },
})
const attacker = fork(join(import.meta.dirname, 'attacker.ts'))
ownChild(attacker)
const attackerEnded = once(attacker, 'exit').then(() => {
  throw new Error('The attacker process ended.')
})
attackerEnded.catch(() => undefined)
try {
  await play()
} catch (error) {
  problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  console.log(await lab.report())
} finally {
  attacker.kill()
  await lab.close()
}
for (const problem of problems) console.log(`failed: ${problem}`)
console.log(`hostile peers: ${held} attacks held`)
process.exitCode = problems.length === 0 ? 0 : 1

async function play(): Promise<void> {
  await lab.start()
  const validators = [...lab.members]
  const control = await lab.addObserver()
  lab.load.start(lab.members, Number(values.rate))
  await lab.moreBlocks(WARM_UP_BLOCKS)
  const attacked = growthOf(validators)
  const unattacked = growthOf([control])
  const order = `${values.peers} peers, ${values.rate} transactions a second`
  console.log(
    `hostile peers: ${order}, ${attacked.before.join(', ')} MB before, ${unattacked.before.join()} MB of the control node`,
  )
  const parts = { targets: validators, attacked, unattacked }
  for (const name of names) await attack(name, [name], turnSeconds, parts)
  if (names.length > 1) await attack('all at once', names, COMBINED_TURNS * turnSeconds, parts)
  await lab.load.stop()
  await lab.settle()
  console.log(`${lab.watch.transactions} transactions in ${lab.watch.height} blocks, each mined once`)
}

interface Growth {
  readonly before: readonly number[]
  /** Growth of the node that grew most. */
  mostMb(): number
}

interface Parts {
  readonly targets: readonly Member[]
  readonly attacked: Growth
  /** Growth of the control node. */
  readonly unattacked: Growth
}

async function attack(
  name: string,
  attacks: readonly string[],
  seconds: number,
  { targets, attacked, unattacked }: Parts,
): Promise<void> {
  const pids = () => [...lab.members.map(({ pid }) => pid), attacker.pid!]
  const machine = watchMachineOf(pids)
  lab.watch.mark()
  const height = lab.watch.height
  let growth = Number.NEGATIVE_INFINITY
  const look = (): void => {
    growth = Math.max(growth, attacked.mostMb() - unattacked.mostMb())
  }
  const looking = setInterval(look, LOOK_EVERY_MS)
  const figures = await Promise.race([ordered(attacker, attacks, seconds, targets), attackerEnded])
  clearInterval(looking)
  look()
  const gapMs = lab.watch.longestGapMs
  const blocks = lab.watch.height - height
  const { connections, messages, ended, progress } = figures
  const shown = progress === undefined ? '' : `, ${progress.done} of ${progress.of} senders on every node`
  console.log(
    `${name}: ${figures.seconds.toFixed(1)} s, ${connections} connections, ${messages} messages${shown}, ${ended} ended by a node; ${blocks} blocks, longest gap ${gapMs.toFixed(0)} ms, memory ${signed(attacked.mostMb())} MB, at most ${signed(growth)} MB more than the control node`,
  )
  lab.watch.requireOneChain()
  if (connections + messages === 0) problems.push(`${name}: no connection and no message`)
  if (progress !== undefined && progress.done < progress.of)
    problems.push(`${name}: not every sender was sent`)
  if (!machine.isBusy({ diagnostic: (text) => console.log(`  ${text}`) })) {
    if (gapMs > MAX_GAP_MS) problems.push(`${name}: ${gapMs.toFixed(0)} ms without a block`)
    if (growth > MAX_GROWTH_MB) problems.push(`${name}: memory grew by ${growth.toFixed(0)} MB more`)
  }
  held += 1
  // Pending work ends before the next attack begins.
  await pause(LOOK_EVERY_MS)
}

async function ordered(
  child: ChildProcess,
  attacks: readonly string[],
  seconds: number,
  targets: readonly Member[],
): Promise<Figures> {
  const [{ network }] = lab.members as [(typeof lab.members)[number]]
  const order: Order = {
    attacks,
    seconds,
    peers: Number(values.peers),
    targets: targets.map(({ enode }) => enode),
    spamSenders,
    genesisText: readFileSync(join(network.folder, 'genesis.json'), 'utf8'),
  }
  child.send(order)
  const [figures] = (await once(child, 'message')) as [Figures]
  return figures
}

function growthOf(members: readonly Member[]): Growth {
  const memoryMb = () => members.map(({ pid }) => memoryOf([pid]).rssMb)
  const before = memoryMb()
  return {
    before: before.map(Math.round),
    mostMb: () => Math.max(...memoryMb().map((mb, at) => mb - before[at]!)),
  }
}

function signed(mb: number): string {
  return `${mb >= 0 ? '+' : ''}${mb.toFixed(0)}`
}

async function places(): Promise<readonly Place[]> {
  const found: Place[] = []
  while (found.length <= VALIDATORS) found.push({ command: [], host: '127.0.0.1', p2pPort: await freePort() })
  return found
}
