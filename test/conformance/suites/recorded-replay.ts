/**
 * Replays the recorded heights with our machine in place of one validator. It gets the validator's key and the
 * messages of the others, and must send exactly the recorded proposals, prepares, commits and round changes, byte for
 * byte. Its timers fire when the recording shows that the recorded ones did.
 */
import assert from 'node:assert/strict'
import { BftCore } from '#consensus/bft/core/machine.ts'
import type { Action, Event, HeightContext, TimerName } from '#consensus/bft/events.ts'
import type {
  BftMessage,
  MessageCodec,
  ProposalMessage,
  RoundChangePayload,
  Signed,
  WireGeneration,
} from '#consensus/bft/messages.ts'
import { transactionCount } from '#consensus/bft/wire/proposed-block.ts'
import type { WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import { createIbft2Rules } from '#consensus/ibft2/rules.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { sign } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { formatData, parseData } from '#types/hex.ts'
import { parseGenesisText } from '../chains/memory-chain.ts'
import { compareSent } from '../recorded/compare-sent.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'

interface RecordedHeight {
  readonly height: number
  readonly block: { readonly miner: string } | null
  readonly messages: readonly { readonly code: number; readonly data: string }[]
}

interface RecordedValidator {
  readonly index: number
  readonly address: Address
  readonly privateKey: string
}

interface Recording {
  readonly protocol: 'qbft' | 'ibft2'
  readonly file: string
  /** The first file of a network contains its block 1. */
  readonly before: readonly string[]
  generationOf(validator: number): WireGeneration
}

const CURRENT = (): WireGeneration => 'current'
const LEGACY = (): WireGeneration => 'legacy'
/** One validator used the encoding up to 25.12. */
const MIXED = (validator: number): WireGeneration => (validator === 3 ? 'legacy' : 'current')

const RECORDINGS: readonly Recording[] = [
  { protocol: 'qbft', file: 'messages-new1.json', before: [], generationOf: CURRENT },
  { protocol: 'qbft', file: 'messages-new2.json', before: ['messages-new1.json'], generationOf: CURRENT },
  { protocol: 'qbft', file: 'messages-old.json', before: [], generationOf: LEGACY },
  { protocol: 'qbft', file: 'messages-mixed.json', before: [], generationOf: MIXED },
  { protocol: 'ibft2', file: 'messages-new.json', before: [], generationOf: CURRENT },
  { protocol: 'ibft2', file: 'messages-old.json', before: [], generationOf: LEGACY },
]

/** Far more than a recorded height needs; a machine in an endless loop must fail. */
const MAX_STEPS = 2_000

export const recordedReplay: Suite = {
  name: 'recorded/replay',
  async *run(pack) {
    const crypto = await loadCrypto()
    for (const recording of RECORDINGS) yield* replay(pack, recording, crypto)
  },
}

async function* replay(
  pack: Pack,
  recording: Recording,
  crypto: WireCrypto,
): AsyncGenerator<Outcome, void, undefined> {
  const { protocol, file, before } = recording
  const folder = `recorded/${protocol}-wire`
  const genesis = parseGenesisText(pack.text(`${folder}/genesis.json`))
  const validators = pack.json(`${folder}/validators.json`) as RecordedValidator[]
  const heightsOf = (name: string) =>
    (pack.json(`${folder}/${name}`) as { readonly heights: readonly RecordedHeight[] }).heights
  const authors = new Map<number, Address>([[0, genesis.header.coinbase]])
  const codecOf = protocol === 'qbft' ? createQbftCodec : createIbft2Codec
  for (const recorded of [...before, file].flatMap(heightsOf)) {
    const author = blockAuthor(recorded, codecOf(crypto, 'current'))
    if (author !== undefined) authors.set(recorded.height, author)
  }
  for (const recorded of heightsOf(file)) {
    for (const validator of validators) {
      const codec = codecOf(crypto, recording.generationOf(validator.index))
      const unit = `${folder}/${file}#${recorded.height}/validator-${validator.index}`
      const messages = decodeAll(recorded, codec)
      if (messages === undefined) {
        yield { unit, status: 'failed', reason: 'a recorded message cannot be decoded' }
        continue
      }
      const isOwn = ({ signed }: BftMessage) => signed.author === validator.address
      if (!messages.some(isOwn)) continue
      const parentAuthor = authors.get(recorded.height - 1)
      const set = validators.map(({ address }) => address).sort()
      yield replayOutcome(unit, async () => {
        assert.ok(parentAuthor !== undefined, 'the author of the block before is recorded')
        const context = contextOf(recorded.height, parentAuthor, set)
        const place = new Place(unit, validator, codec, messages, context)
        await place.play()
        return place.compare()
      })
    }
  }
}

function blockAuthor({ block, messages }: RecordedHeight, codec: MessageCodec): Address | undefined {
  if (block !== null) return block.miner as Address
  const decoded = decodeAll({ messages }, codec)
  return decoded?.find((message): message is ProposalMessage => message.kind === 'proposal')?.block.header
    .coinbase
}

function decodeAll(
  { messages }: Pick<RecordedHeight, 'messages'>,
  codec: MessageCodec,
): BftMessage[] | undefined {
  try {
    return messages.map(({ code, data }) => codec.decode(code, parseData(data)))
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

/** Times do not matter: timers fire as in the recording, and blocks are the recorded ones. */
function contextOf(height: number, coinbase: Address, validators: readonly Address[]): HeightContext {
  return {
    height,
    parent: {
      hash: `0x${'00'.repeat(32)}` as HeightContext['parent']['hash'],
      timestampSeconds: 0,
      coinbase,
    },
    validators,
    period: { seconds: 2 },
    emptyBlockPeriodSeconds: 0,
    requestTimeoutMs: 4_000,
  }
}

/** The place of one validator at one height. */
class Place {
  readonly #unit: string
  readonly #validator: RecordedValidator
  readonly #codec: MessageCodec
  readonly #recorded: readonly BftMessage[]
  readonly #context: HeightContext
  readonly #core: BftCore
  readonly #timers = new Map<TimerName, number>()
  readonly #sent: BftMessage[] = []
  #queue: Event[] = []
  #steps = 0

  constructor(
    unit: string,
    validator: RecordedValidator,
    codec: MessageCodec,
    recorded: readonly BftMessage[],
    context: HeightContext,
  ) {
    this.#unit = unit
    this.#validator = validator
    this.#codec = codec
    this.#recorded = recorded
    this.#context = context
    const createRules = codec.protocol === 'qbft' ? createQbftRules : createIbft2Rules
    this.#core = new BftCore({
      address: validator.address,
      rules: createRules({ maxRoundTimeoutMs: 60_000 }),
      generation: codec.generation,
      limits: { maxDistance: 10, maxMessages: 1_000, maxBytes: 1_000_000 },
      signatureLog: undefined,
      signsWithoutLog: true,
    })
  }

  async play(): Promise<void> {
    await this.#tell({ type: 'headMoved', context: this.#context, now: NOW })
    for (const message of this.#inOrderOfArrival()) {
      const { round } = message.signed.payload
      if (!this.#isOwn(message)) await this.#receive(message)
      else if (message.kind === 'proposal' && round === 0) await this.#fire('block')
      else if (message.kind === 'roundChange') {
        if (this.#round < 0) await this.#fire('block')
        for (let fired = 0; this.#round < round && fired < round; fired++) await this.#fire('round')
      }
    }
  }

  compare(): 'same' | 'roundsTogether' {
    const { address } = this.#validator
    const place = { unit: this.#unit, address, validators: this.#context.validators.length }
    return compareSent({ ...place, codec: this.#codec, recorded: this.#recorded }, this.#sent)
  }

  /**
   * The recording has the times of sending. Messages about a round that this validator entered by its own timer
   * cannot have arrived earlier.
   */
  #inOrderOfArrival(): BftMessage[] {
    const isChange = (message: BftMessage) => this.#isOwn(message) && message.kind === 'roundChange'
    const changes = this.#recorded.filter(isChange)
    const early = changes.map((change) => {
      const { round } = change.signed.payload
      return { change, at: this.#recorded.findIndex(({ signed }) => signed.payload.round >= round) }
    })
    return this.#inCertificateOrder().flatMap((message, index) => [
      ...early.filter(({ at }) => at === index).map(({ change }) => change),
      ...(isChange(message) ? [] : [message]),
    ])
  }

  /** A certificate lists prepares in order of arrival, which may differ from the order of sending. */
  #inCertificateOrder(): BftMessage[] {
    const order = this.#recorded
      .filter((message) => message.kind === 'roundChange' && this.#isOwn(message))
      .flatMap(({ signed }) => (signed as Signed<RoundChangePayload>).payload.prepared?.proof?.prepares ?? [])
      .map(({ encoded }) => formatData(encoded))
    const isListed = ({ signed }: BftMessage) => order.includes(formatData(signed.encoded))
    const listed = this.#recorded.filter(isListed).sort((a, b) => {
      return order.indexOf(formatData(a.signed.encoded)) - order.indexOf(formatData(b.signed.encoded))
    })
    return this.#recorded.map((message) => (isListed(message) ? (listed.shift() as BftMessage) : message))
  }

  get #round(): number {
    return this.#core.state()?.round ?? -1
  }

  #isOwn({ signed }: BftMessage): boolean {
    return signed.author === this.#validator.address
  }

  async #receive(message: BftMessage): Promise<void> {
    const { code, data } = this.#codec.encode(message)
    await this.#tell({ type: 'message', message, raw: data, code, from: message.signed.author, now: NOW })
  }

  async #fire(timer: TimerName): Promise<void> {
    const id = this.#timers.get(timer)
    this.#timers.delete(timer)
    if (id !== undefined) await this.#tell({ type: 'timer', timer, id, now: NOW })
  }

  async #tell(event: Event): Promise<void> {
    this.#queue.push(event)
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      assert.ok(++this.#steps < MAX_STEPS, 'the machine comes to rest')
      for (const action of this.#core.handle(next)) {
        const answer = await this.#perform(action)
        if (answer !== undefined) this.#queue.push(answer)
      }
    }
  }

  async #perform(action: Action): Promise<Event | undefined> {
    const now = NOW
    if (action.type === 'send') this.#sent.push(action.message)
    else if (action.type === 'startTimer') this.#timers.set(action.timer, action.id)
    else if (action.type === 'cancelTimer') this.#timers.delete(action.timer)
    if (!('round' in action)) return undefined
    const { id, height, round } = action
    const key = { id, height, round, now }
    switch (action.type) {
      case 'build': {
        const own = this.#recorded.find(
          (message): message is ProposalMessage =>
            this.#isOwn(message) && message.kind === 'proposal' && message.signed.payload.round === round,
        )
        // If it proposed nothing in the round, its block was late, or it left the round before.
        return own && { type: 'built', ...key, block: own.block, transactions: transactionCount(own.block) }
      }
      case 'validate':
        return { type: 'validated', ...key, ok: true }
      case 'persist':
        return { type: 'persisted', ...key }
      case 'sign': {
        const privateKey = parseData(this.#validator.privateKey)
        const signDigest = async (digest: Uint8Array) => sign(privateKey, digest)
        const signed = await this.#codec.sign(action.draft, this.#validator.address, signDigest)
        return { type: 'signed', ...key, signed }
      }
      default:
        return undefined
    }
  }
}

const NOW: Event['now'] = { wallMs: 1_800_000_000_000, monotonicMs: 0 }

function replayOutcome(unit: string, play: () => Promise<'same' | 'roundsTogether'>): Promise<Outcome> {
  return outcomeOfPlay(unit, async () => {
    const isSame = (await play()) === 'same'
    return isSame ? { unit, status: 'met' } : { unit, status: 'deviates', decision: 'rounds-together' }
  })
}
