/** CPU time to verify a consensus message: reading it, recovering its signer, and the checks of the machine. */
import { BftCore } from '#consensus/bft/core/machine.ts'
import type { Action, Event } from '#consensus/bft/events.ts'
import type { BftMessage, Draft, MessageCodec } from '#consensus/bft/messages.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey, sign } from '#types/curve.ts'
import { hashToBytes } from '#types/hash.ts'
import { type Party, partiesOf } from '../test/simulation/keys.ts'
import { SimChain } from '../test/simulation/sim-chain.ts'

const LIMITS = { maxDistance: 10, maxMessages: 1_000, maxBytes: 8 * 1024 * 1024 } as const
const REQUEST_TIMEOUT_MS = 4_000
const WALL_MS = 10_000
const KINDS = ['proposal', 'prepare', 'commit'] as const
/** Fewer rounds leave code that is not yet compiled. */
const ROUNDS = 80
const COUNTED_ROUNDS = 40

interface Written {
  readonly kind: (typeof KINDS)[number]
  readonly code: number
  readonly data: Uint8Array
}

/** Prints the CPU time of one validator per message, in a network of `size`. */
export async function tellMessageCosts(size: number, crypto: Crypto): Promise<void> {
  const parties = partiesOf(size, true)
  const codec = createQbftCodec(crypto, 'current')
  const messages = await writeAll(parties, codec, crypto)
  const spent: Record<Written['kind'], number> = { proposal: 0, prepare: 0, commit: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const receiver = receiverOf(parties, codec, crypto)
    for (const message of messages) {
      const before = process.cpuUsage()
      receiver(message)
      const { user, system } = process.cpuUsage(before)
      if (round >= ROUNDS - COUNTED_ROUNDS) spent[message.kind] += user + system
    }
  }
  console.log(`\nCPU to read and check one message in a network of ${size} validators`)
  console.log('| Message | Bytes | CPU, ms |')
  console.log('|---|---|---|')
  for (const kind of KINDS) {
    const all = messages.filter((each) => each.kind === kind)
    const ms = spent[kind] / 1_000 / (all.length * COUNTED_ROUNDS)
    console.log(`| ${kind} | ${all[0]!.data.length} | ${ms.toFixed(3)} |`)
  }
  const total = KINDS.reduce((sum, kind) => sum + spent[kind], 0)
  console.log(`| average of a block | | ${(total / 1_000 / (messages.length * COUNTED_ROUNDS)).toFixed(3)} |`)
}

/** A proposal, and the prepares and commits of everyone but the receiver. */
async function writeAll(parties: readonly Party[], codec: MessageCodec, crypto: Crypto): Promise<Written[]> {
  const chain = chainOf(parties, crypto)
  const context = chain.contextAfter(chain.start)
  const rules = createQbftRules({ maxRoundTimeoutMs: REQUEST_TIMEOUT_MS, keccak: crypto.keccak })
  const proposer = rules.proposer(context, 0)
  const content = { author: proposer, round: 0, timestampSeconds: WALL_MS / 1_000, nonce: 1 }
  const block = chain.build(chain.start, { ...content, vote: null, isBroken: false })
  const { digest, hash } = block
  const write = async ({ address, key }: Party, draft: Draft): Promise<Written> => {
    const signed = await codec.sign(draft, address, async (bytes) => sign(key!, bytes))
    const { kind } = draft
    const rest = kind === 'proposal' ? { block, roundChanges: [], prepares: [], generation: 'current' } : {}
    const message = { kind, signed, ...rest } as BftMessage
    return { kind: kind as Written['kind'], ...codec.encode(message) }
  }
  const id = { height: 1, round: 0 }
  const [, ...others] = parties
  const author = parties.find(({ address }) => address === proposer)!
  return [
    await write(author, { kind: 'proposal', ...id, block } as Draft),
    ...(await Promise.all(others.map((each) => write(each, { kind: 'prepare', ...id, digest })))),
    ...(await Promise.all(
      others.map((each) => write(each, { kind: 'commit', ...id, digest, sealed: hash })),
    )),
  ]
}

/** The first validator, whose blocks are valid and whose own signatures take no time. */
function receiverOf(
  parties: readonly Party[],
  codec: MessageCodec,
  crypto: Crypto,
): (message: Written) => void {
  const [{ address }] = parties as [Party]
  const chain = chainOf(parties, crypto)
  const context = chain.contextAfter(chain.start)
  const rules = createQbftRules({ maxRoundTimeoutMs: REQUEST_TIMEOUT_MS, keccak: crypto.keccak })
  const core = new BftCore({
    address,
    rules,
    generation: 'current',
    limits: LIMITS,
    signatureLog: undefined,
    signsWithoutLog: true,
  })
  const now = { wallMs: WALL_MS, monotonicMs: WALL_MS }
  const handle = (event: Omit<Event, 'now'>): void => {
    for (const action of core.handle({ ...event, now } as Event)) {
      const answer = answerOf(action)
      if (answer !== undefined) handle(answer)
    }
  }
  handle({ type: 'headMoved', context } as Omit<Event, 'now'>)
  return ({ code, data }) => {
    const message = codec.decode(code, data, context.validators)
    handle({ type: 'message', message, raw: data, code, from: '1' } as Omit<Event, 'now'>)
  }
}

function answerOf(action: Action): Omit<Event, 'now'> | undefined {
  if (action.type !== 'validate' && action.type !== 'persist') return undefined
  const { id, height, round } = action
  const key = { id, height, round }
  if (action.type === 'persist') return { type: 'persisted', ...key } as Omit<Event, 'now'>
  return { type: 'validated', ok: true, ...key } as Omit<Event, 'now'>
}

function chainOf(parties: readonly Party[], { keccak, recover }: Crypto): SimChain {
  return new SimChain({
    protocol: 'qbft',
    keccak,
    validators: parties.map(({ address }): Address => address),
    authorOfSeal: (seal, digest) => addressFromPublicKey(recover(hashToBytes(digest), seal), keccak),
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    periodSeconds: 1,
    emptyBlockPeriodSeconds: 0,
    transition: undefined,
  })
}
