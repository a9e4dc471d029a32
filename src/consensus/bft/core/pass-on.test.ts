/* What a validator relays: any receiver can change the unsigned parts of a message. */
import { strictEqual } from 'node:assert'
import { test } from 'node:test'
import type { Action, Event } from '#consensus/bft/events.ts'
import { MessageBench, SAMPLE_HEIGHT } from '#consensus/bft/messages.fixture.ts'
import type { BftMessage, ProposalMessage, RoundChangeMessage } from '#consensus/bft/messages.ts'
import { createIbft2Rules } from '#consensus/ibft2/rules.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import type { Address } from '#types/address.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { BftCore } from './machine.ts'

const NOW = { wallMs: 10_000, monotonicMs: 0 }
const PARENT = { hash: ZERO_HASH, timestampSeconds: 10, coinbase: `0x${'00'.repeat(20)}` as Address }

type MessageEvent = Event & { readonly type: 'message' }

class Listener {
  readonly bench: MessageBench
  readonly #core: BftCore
  #actions: readonly Action[] = []

  constructor(protocol: 'qbft' | 'ibft2') {
    this.bench = new MessageBench(protocol, 'current')
    const { validators } = this.bench.context
    const create = protocol === 'qbft' ? createQbftRules : createIbft2Rules
    this.#core = new BftCore({
      address: validators[3]!,
      rules: create({ maxRoundTimeoutMs: 60_000 }),
      generation: 'current',
      limits: { maxDistance: 10, maxMessages: 100, maxBytes: 1_000_000 },
      signatureLog: undefined,
      signsWithoutLog: false,
    })
    const context = {
      height: SAMPLE_HEIGHT,
      parent: PARENT,
      validators,
      period: { seconds: 2 },
      emptyBlockPeriodSeconds: 0,
      requestTimeoutMs: 4_000,
    }
    this.#core.handle({ type: 'headMoved', context, now: NOW })
  }

  /** Whether the message is relayed, at once or after its block was validated. */
  passesOn(message: BftMessage, isBlockValid = true): boolean {
    const { code, data } = this.bench.codec.encode(message)
    const decoded = this.bench.codec.decode(code, data)
    const event: MessageEvent = { type: 'message', message: decoded, raw: data, code, from: 'peer', now: NOW }
    this.#actions = this.#core.handle(event)
    const validate = this.#actions.find((action) => action.type === 'validate')
    if (validate !== undefined) {
      const { id, height, round } = validate
      const verdict = isBlockValid
        ? { ok: true as const }
        : { ok: false as const, sentence: 'It is refused.' }
      const answered = this.#core.handle({ type: 'validated', id, height, round, ...verdict, now: NOW })
      this.#actions = [...this.#actions, ...answered]
    }
    return this.#actions.some((action) => action.type === 'gossip')
  }
}

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`${protocol}: a proposal without its justification is not relayed, and the complete one is`, async () => {
    const listener = new Listener(protocol)
    const proposal = (await listener.bench.samples())[5] as ProposalMessage
    const without = { ...proposal, roundChanges: proposal.roundChanges.slice(0, 2) }
    strictEqual(listener.passesOn(without), false)
    strictEqual(listener.passesOn(proposal), true)
  })

  test(`${protocol}: a validator relays one variant of a proposal`, async () => {
    const listener = new Listener(protocol)
    const proposal = (await listener.bench.samples())[5] as ProposalMessage
    const enough = { ...proposal, roundChanges: proposal.roundChanges.slice(0, 3) }
    strictEqual(listener.passesOn(proposal), true)
    strictEqual(listener.passesOn(enough), false)
  })

  test(`${protocol}: a proposal of a past round is relayed only with its justification`, async () => {
    const listener = new Listener(protocol)
    const { bench } = listener
    const proposal = (await bench.samples())[5] as ProposalMessage
    if (protocol === 'ibft2') strictEqual(listener.passesOn(proposal), true)
    for (const author of bench.validators.slice(0, 3))
      strictEqual(listener.passesOn(await bench.roundChange(author, 2)), true)
    strictEqual(listener.passesOn({ ...proposal, roundChanges: [] }), false)
    strictEqual(listener.passesOn(proposal), true)
  })

  test(`${protocol}: a round change with a refused block is not relayed`, async () => {
    const listener = new Listener(protocol)
    const change = (await listener.bench.samples())[4] as RoundChangeMessage
    strictEqual(listener.passesOn(change, false), false)
    strictEqual(listener.passesOn(change), true)
  })

  test(`${protocol}: a prepare or commit is relayed in any round`, async () => {
    const listener = new Listener(protocol)
    const [, prepare, commit] = await listener.bench.samples()
    for (const author of listener.bench.validators.slice(0, 3))
      listener.passesOn(await listener.bench.roundChange(author, 2))
    strictEqual(listener.passesOn(prepare!), true)
    strictEqual(listener.passesOn(commit!), true)
  })
}

test('ibft2: a proposal with a refused block is not relayed', async () => {
  const listener = new Listener('ibft2')
  const proposal = (await listener.bench.samples())[5] as ProposalMessage
  strictEqual(listener.passesOn(proposal, false), false)
})

test('qbft: a round change without its claimed prepares is not relayed, and the complete one is', async () => {
  const listener = new Listener('qbft')
  const change = (await listener.bench.samples())[4] as RoundChangeMessage
  strictEqual(listener.passesOn({ ...change, prepares: [] }), false)
  strictEqual(listener.passesOn({ ...change, block: undefined }), false)
  strictEqual(listener.passesOn(change), true)
})
