/** Validators in one process on virtual time: real machines, codecs and signatures; blocks without transactions. */
import type {
  Action,
  Event,
  HeightContext,
  Report,
  SignatureEntry,
  TimerName,
} from '#consensus/bft/events.ts'
import type { BftMessage, MessageCodec, ProposedBlock } from '#consensus/bft/messages.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { createIbft2Rules } from '#consensus/ibft2/rules.ts'
import { createIbft2Codec } from '#consensus/ibft2/wire/ibft2-codec.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { createQbftCodec } from '#consensus/qbft/wire/qbft-codec.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { type BftProtocol, encodeBftExtraData, VANITY_BYTES } from '#types/block/bft-extra-data.ts'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { encodeBlock } from '#types/block/block.ts'
import { addressFromPublicKey, publicKeyFromPrivate, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { BftCore, type CoreOptions } from './machine.ts'

export const START_SECONDS = 1_700_000_000
const CRYPTO = await loadCrypto()
const MAX_STEPS = 20_000

export interface TestNode {
  readonly address: Address
  readonly key: Uint8Array
  core: BftCore
  head: ProposedBlock
  readonly timers: Map<TimerName, { readonly id: number; readonly dueMs: number }>
  readonly sent: BftMessage[]
  readonly reports: Report[]
  readonly imported: ProposedBlock[]
  entry: SignatureEntry | undefined
  isDown: boolean
}

export interface NetworkSettings {
  readonly protocol: BftProtocol
  readonly validators: number
  readonly context?: Partial<HeightContext>
  /** By default all nodes are always validators. */
  isValidatorAt?(node: TestNode, height: number): boolean
  readonly core?: Partial<CoreOptions>
  /** Returns false to lose the message. */
  isDelivered?(message: BftMessage, from: TestNode, to: TestNode): boolean
  /** Returns undefined if the block is valid. */
  blockProblem?(block: ProposedBlock, by: TestNode): string | undefined
  importProblem?(block: ProposedBlock, by: TestNode): string | undefined
  /** An import that hangs or fails without a refusal, as on a full disk. */
  importTrouble?(by: TestNode): 'unending' | 'failed' | undefined
  readonly transactions?: number
}

export class TestNetwork {
  readonly nodes: readonly TestNode[]
  readonly codec: MessageCodec
  readonly settings: NetworkSettings
  #work: Promise<void>[] = []
  /** Time since the start, which is one period before the first block is due. */
  nowMs = 0
  /** The error of all wall clocks. */
  wallErrorMs = 0
  readonly validated: ProposedBlock[] = []
  #steps = 0
  #queue: { readonly node: TestNode; readonly event: Event }[] = []

  constructor(settings: NetworkSettings) {
    this.settings = settings
    const { protocol, validators } = settings
    this.codec =
      protocol === 'qbft' ? createQbftCodec(CRYPTO, 'current') : createIbft2Codec(CRYPTO, 'current')
    const keys = Array.from({ length: validators }, (_, index) => new Uint8Array(32).fill(index + 1))
    const addressed = keys.map((key) => ({
      key,
      address: addressFromPublicKey(publicKeyFromPrivate('secp256k1', key)),
    }))
    addressed.sort((a, b) => (a.address < b.address ? -1 : 1))
    this.nodes = addressed.map(({ key, address }) => ({
      key,
      address,
      core: this.#createCore(address, undefined),
      head: this.#block({ number: 0, round: 0, coinbase: ZERO, timestamp: START_SECONDS, parent: undefined }),
      timers: new Map(),
      sent: [],
      reports: [],
      imported: [],
      entry: undefined,
      isDown: false,
    }))
  }

  get validators(): readonly Address[] {
    return this.nodes.map(({ address }) => address)
  }

  async start(): Promise<void> {
    for (const node of this.nodes) this.tell(node, { type: 'headMoved', context: this.contextOf(node) })
    await this.#settle()
  }

  /** Restarts the machine with what was made durable. */
  async restart(node: TestNode, options: Partial<CoreOptions> = {}): Promise<void> {
    node.timers.clear()
    node.isDown = false
    node.core = this.#createCore(node.address, node.entry, options)
    this.#queue = this.#queue.filter((entry) => entry.node !== node)
    this.tell(node, { type: 'headMoved', context: this.contextOf(node) })
    await this.#settle()
  }

  async advance(ms: number): Promise<void> {
    const endMs = this.nowMs + ms
    for (;;) {
      await this.#settle()
      const next = this.#nextTimer(endMs)
      if (next === undefined) break
      const { node, timer, id, dueMs } = next
      this.nowMs = dueMs
      node.timers.delete(timer)
      this.tell(node, { type: 'timer', timer, id })
    }
    this.nowMs = endMs
  }

  tell(node: TestNode, event: EventBody): void {
    this.#queue.push({ node, event: { ...event, now: this.now } as Event })
  }

  get now(): Event['now'] {
    return { wallMs: START_SECONDS * 1_000 + this.nowMs + this.wallErrorMs, monotonicMs: this.nowMs }
  }

  deliver(message: BftMessage, to: TestNode, from = 'test'): void {
    const { code, data } = this.codec.encode(message)
    this.tell(to, { type: 'message', message: this.codec.decode(code, data), raw: data, code, from })
  }

  /** Work on a message that must finish before time goes on. */
  waitFor(work: Promise<void>): void {
    this.#work.push(work)
  }

  contextOf({ head }: TestNode): HeightContext {
    const height = Number(head.header.number) + 1
    const validators = this.nodes.filter((node) => this.settings.isValidatorAt?.(node, height) ?? true)
    return {
      height,
      parent: {
        hash: head.hash,
        timestampSeconds: Number(head.header.timestamp),
        coinbase: head.header.coinbase,
      },
      validators: validators.map(({ address }) => address),
      period: { seconds: 2 },
      emptyBlockPeriodSeconds: 0,
      requestTimeoutMs: 4_000,
      ...this.settings.context,
    }
  }

  async #settle(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      assert(++this.#steps < MAX_STEPS, 'the validators come to rest')
      const { node, event } = next
      if (node.isDown) continue
      for (const action of node.core.handle(event)) await this.#perform(node, action)
      await Promise.all(this.#work.splice(0))
    }
  }

  async #perform(node: TestNode, action: Action): Promise<void> {
    const key = 'round' in action ? { id: action.id, height: action.height, round: action.round } : undefined
    switch (action.type) {
      case 'build': {
        const block = this.#block({
          number: action.height,
          round: action.round,
          coinbase: node.address,
          timestamp: action.timestampSeconds,
          parent: node.head,
        })
        const transactions = this.settings.transactions ?? 1
        return this.tell(node, { type: 'built', ...key!, block, transactions })
      }
      case 'validate': {
        this.validated.push(action.block)
        const sentence = bodyProblem(action.block) ?? this.settings.blockProblem?.(action.block, node)
        if (sentence === undefined) return this.tell(node, { type: 'validated', ...key!, ok: true })
        return this.tell(node, { type: 'validated', ...key!, ok: false, sentence })
      }
      case 'persist':
        node.entry = action.entry
        return this.tell(node, { type: 'persisted', ...key! })
      case 'sign': {
        const signDigest = async (digest: Uint8Array) => sign(node.key, digest)
        const signed = await this.codec.sign(action.draft, node.address, signDigest)
        return this.tell(node, { type: 'signed', ...key!, signed })
      }
      case 'import': {
        const sentence = bodyProblem(action.block) ?? this.settings.importProblem?.(action.block, node)
        if (sentence !== undefined) return this.tell(node, { type: 'importRefused', ...key!, sentence })
        const trouble = this.settings.importTrouble?.(node)
        if (trouble === 'unending') return
        if (trouble === 'failed')
          return this.tell(node, { type: 'failed', ...key!, sentence: 'The disk is full.' })
        node.head = action.block
        node.imported.push(action.block)
        this.tell(node, { type: 'imported', ...key! })
        return this.tell(node, { type: 'headMoved', context: this.contextOf(node) })
      }
      case 'send':
        return this.#send(node, action.message, action.to)
      case 'startTimer':
        node.timers.set(action.timer, { id: action.id, dueMs: this.nowMs + action.delayMs })
        return
      case 'cancelTimer':
        node.timers.delete(action.timer)
        return
      case 'report':
        node.reports.push(action.report)
        return
      default:
    }
  }

  #send(from: TestNode, message: BftMessage, only: Address | undefined): void {
    from.sent.push(message)
    for (const to of this.nodes) {
      if (to === from || (only !== undefined && to.address !== only)) continue
      if (this.settings.isDelivered?.(message, from, to) ?? true) this.deliver(message, to, from.address)
    }
  }

  #nextTimer(endMs: number) {
    const all = this.nodes
      .filter(({ isDown }) => !isDown)
      .flatMap((node) => [...node.timers].map(([timer, { id, dueMs }]) => ({ node, timer, id, dueMs })))
    return all.filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0]
  }

  #createCore(
    address: Address,
    signatureLog: SignatureEntry | undefined,
    more: Partial<CoreOptions> = {},
  ): BftCore {
    const create = this.settings.protocol === 'qbft' ? createQbftRules : createIbft2Rules
    return new BftCore({
      address,
      rules: create({ maxRoundTimeoutMs: 60_000 }),
      generation: 'current',
      limits: { maxDistance: 10, maxMessages: 1_000, maxBytes: 1_000_000 },
      signatureLog,
      signsWithoutLog: false,
      ...this.settings.core,
      ...more,
    })
  }

  #block(content: BlockContent): ProposedBlock {
    const { protocol } = this.settings
    const vanity = new Uint8Array(VANITY_BYTES)
    const { round, number, coinbase, timestamp, parent } = content
    const validators = number === 0 ? [] : this.validators
    const header = {
      ...PLAIN_HEADER,
      // Block 0 is never proposed; its stand-in has number 1, which nothing reads.
      number: BigInt(Math.max(number, 1)),
      coinbase,
      timestamp: BigInt(timestamp),
      parentHash: parent?.hash ?? PLAIN_HEADER.parentHash,
      extraData: encodeBftExtraData(protocol, { vanity, validators, vote: null, round, seals: [] }),
    }
    const encoded = encodeBlock({ header, transactions: [], ommers: [], withdrawals: undefined })
    const block = decodeProposedBlock(protocol, encoded, undefined, keccak256)
    return number === 0 ? { ...block, header: { ...header, number: 0n } } : block
  }
}

type EventBody = Event extends infer Each ? (Each extends Event ? Omit<Each, 'now'> : never) : never

interface BlockContent {
  readonly number: number
  readonly round: number
  readonly coinbase: Address
  readonly timestamp: number
  readonly parent: ProposedBlock | undefined
}

/** Blocks of this network are empty, and so is every true body. */
function bodyProblem({ encoded }: ProposedBlock): string | undefined {
  const [, ...lists] = encodedRlpItems(encoded)
  const isEmpty = lists.length === 2 && lists.every((list) => list.length === 1)
  return isEmpty ? undefined : 'Its body does not match its header.'
}

/** The same header with a transaction that it does not contain. */
export function withFalseBody(block: ProposedBlock): ProposedBlock {
  const [header, , ...rest] = encodedRlpItems(block.encoded)
  const transactions = encodeRlpList([encodeRlp(Uint8Array.of(1, 2, 3))])
  return { ...block, encoded: encodeRlpList([header!, transactions, ...rest]) }
}

const ZERO = `0x${'00'.repeat(20)}` as Address

export function kindsSent(node: TestNode, height = 1): string[] {
  return node.sent
    .filter(({ signed }) => signed.payload.height === height)
    .map(({ kind, signed }) => `${kind} ${signed.payload.round}`)
}

export async function startedNetwork(settings: Partial<NetworkSettings> = {}): Promise<TestNetwork> {
  const network = new TestNetwork({ protocol: 'qbft', validators: 4, ...settings })
  await network.start()
  return network
}

/** Round changes for block 1 by validators that only receive round changes. */
export async function roundChangesTo(round: number, validators = 4): Promise<readonly BftMessage[]> {
  const silent = await startedNetwork({ validators, isDelivered: ({ kind }) => kind === 'roundChange' })
  await silent.advance(40_000)
  return silent.nodes.map(
    ({ sent }) => sent.find(({ kind, signed }) => kind === 'roundChange' && signed.payload.round === round)!,
  )
}
