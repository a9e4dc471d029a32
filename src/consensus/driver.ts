/**
 * Runs the machine in a node: performs its actions and returns the events. It alone signs and writes the signature log.
 * Everything runs on the main thread without long computations: the writer builds and executes blocks, and bodies are not
 * decoded here.
 */
import type { WaitForMore } from '#chain/build/candidates.ts'
import { type Timer, withDeadline } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { CoreState } from './bft/core/core-state.ts'
import { BftCore } from './bft/core/machine.ts'
import type { Action, Event, HeightContext, LoadedLog, RequestKey, TimerName } from './bft/events.ts'
import { messageIdentity } from './bft/message-identity.ts'
import type { MessageCodec, ProposedBlock, RoundId } from './bft/messages.ts'
import { RecentContent, type Remembered } from './bft/recent-content.ts'
import { decodeProposedBlock, sealedBlock, transactionCount } from './bft/wire/proposed-block.ts'
import { MAX_HASHED_BYTES } from './bft/wire/read-items.ts'
import { BuildAhead } from './build-ahead.ts'
import type { BuildOrder, DriverParts } from './driver-parts.ts'
import type { Evidence, WorkFailure } from './explain.ts'
import { untilAllConnected } from './first-block.ts'
import { PassOnBudget, PeerBudget } from './peer-budget.ts'
import { type MessageFacts, Relay, type RelayedMessage } from './relay.ts'

/** A key may be in another process or device; without an answer the round goes on without this node. */
const SIGN_DEADLINE_MS = 10_000

type Requested<Type extends Action['type']> = Action & { readonly type: Type }
type Body<Each> = Each extends Event ? Omit<Each, 'now'> : never

export class BftDriver {
  readonly #parts: DriverParts
  readonly #seen: RecentContent<MessageFacts>
  readonly #gossiped: RecentContent
  readonly #large: LargeMessages
  readonly #ahead: BuildAhead
  readonly #relay: Relay
  readonly #budget = new PeerBudget()
  readonly #passOnBudget = new PassOnBudget()
  readonly #timers = new Map<TimerName, Timer>()
  readonly #cancels = new Map<number, AbortController>()
  #core: BftCore | undefined
  #codec: MessageCodec | undefined
  #signatureLog: LoadedLog
  #validators: readonly Address[] = []
  #requestTimeoutMs = 0
  #lastPersistMs = 0
  #undecoded = 0
  #failure: WorkFailure | undefined
  /** The last proposal that was relayed beyond the budget. */
  #awaited: RoundId | undefined
  #isStopped = false
  #isSuspended = false

  constructor(parts: DriverParts) {
    const { limits, keccak, signatureLog, blocks } = parts
    this.#parts = parts
    this.#signatureLog = signatureLog.loaded
    this.#seen = new RecentContent(limits.duplicateMessages, keccak)
    this.#gossiped = new RecentContent(limits.gossipedMessages, keccak)
    this.#ahead = new BuildAhead(parts.clock, (...request) => this.#buildBlock(...request))
    this.#relay = new Relay({
      clock: parts.clock,
      send: (to, code, raw) => parts.network.send(to, code, raw),
      mayRepeat: (message) => this.#mayPass(message),
    })
    this.#large = new LargeMessages({
      hash: (pieces) => blocks.keccak(pieces),
      isValidator: (peer) => this.#validators.includes(peer),
      read: (message, digest) => this.#read(message, digest),
      onLost: ({ from }, error) => this.#logUndecoded(from, error),
    })
  }

  /** Called at start and whenever the head moves, by this node's work or otherwise. */
  headMoved(context: HeightContext): void {
    const codec = this.#parts.codecAt(context.height)
    if (codec.protocol !== this.#codec?.protocol) this.#changeProtocol(codec, context.height)
    this.#ahead.onHead(context.parent.hash)
    // A message that came too early may not have been decoded or kept, and its author repeats the same bytes.
    this.#seen.forget((facts) => facts === undefined || facts.height >= context.height)
    this.#validators = context.validators
    this.#requestTimeoutMs = context.requestTimeoutMs
    this.#relay.enter(context.validators, context.requestTimeoutMs)
    this.#isSuspended = false
    this.#tell({ type: 'headMoved', context })
  }

  /** Stops taking part while many blocks are imported; `headMoved` resumes. */
  suspend(): void {
    if (this.#isSuspended) return
    this.#isSuspended = true
    this.#cancelAll()
  }

  /** `from` is the address of the peer's key. Returns for how many milliseconds nothing should be read from it. */
  receive(from: Address, code: number, data: Uint8Array): number {
    if (this.#codec === undefined || this.#isSuspended) return 0
    const nowMs = this.#parts.clock.monotonicMs()
    if (this.#budget.take(from, data.length, this.#validators, nowMs)) this.#take(from, code, data)
    else if (!this.#validators.includes(from)) return this.#budget.waitMs(from, nowMs)
    return 0
  }

  #take(from: Address, code: number, data: Uint8Array): void {
    const isLarge = data.length > MAX_HASHED_BYTES
    if (isLarge && !this.#large.hasRoom(from)) return
    const { isNew, remembered } = this.#seen.recall(data)
    if (!isNew) {
      if (remembered.note !== undefined) this.#relay.received(from, remembered.note)
      return
    }
    const message = { from, code, data, remembered }
    if (isLarge) this.#receiveLarge(message)
    else this.#read(message)
  }

  #receiveLarge(message: ReceivedMessage): void {
    const { from, code, data } = message
    const pieces = this.#orUndecoded(from, (codec) => codec.signedPieces(code, data))
    if (pieces === undefined) return
    const signedBytes = pieces.reduce((sum, { length }) => sum + length, 0)
    if (signedBytes > MAX_HASHED_BYTES) this.#large.add({ ...message, pieces })
    else this.#read(message)
  }

  #read({ from, code, data, remembered }: ReceivedMessage, digest?: Uint8Array): void {
    const decode = (codec: MessageCodec) => codec.decode(code, data, this.#validators, digest)
    const message = this.#orUndecoded(from, decode)
    if (message === undefined) return
    const { author, payload } = message.signed
    const facts = { author, kind: message.kind, height: payload.height, round: payload.round }
    remembered.note = facts
    this.#relay.received(from, facts)
    this.#tell({ type: 'message', message, raw: data, code, from })
  }

  #orUndecoded<Value>(from: Address, decode: (codec: MessageCodec) => Value): Value | undefined {
    try {
      return decode(this.#codec as MessageCodec)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#logUndecoded(from, error)
      return undefined
    }
  }

  #logUndecoded(from: Address, error: unknown): void {
    this.#undecoded += 1
    this.#parts.log.debug('Received malformed consensus message', { from, reason: sentenceOf(error) })
  }

  peerReconnected(validator: Address): void {
    this.#relay.reconnected(validator)
    if (this.#validators.includes(validator)) this.#tell({ type: 'peerReconnected', validator })
  }

  state(): CoreState | undefined {
    return this.#core?.state()
  }

  /** Validators that sent messages of this height or a later one. */
  participants(height: number): readonly Address[] {
    return this.#core?.participants(height) ?? []
  }

  /** Evidence that only the driver has. */
  get observations(): Pick<Evidence, 'lastPersistMs' | 'undecodedMessages' | 'failure'> {
    return {
      lastPersistMs: this.#lastPersistMs,
      undecodedMessages: this.#undecoded,
      failure: this.#failure,
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#large.clear()
    this.#cancelAll()
    await this.#parts.signatureLog.close()
  }

  #cancelAll(): void {
    this.#ahead.cancel()
    this.#relay.clear()
    for (const timer of this.#timers.values()) timer.cancel()
    for (const cancel of this.#cancels.values()) cancel.abort()
    this.#cancels.clear()
  }

  #changeProtocol(codec: MessageCodec, height: number): void {
    const { address, rulesAt, limits, signsWithoutLog } = this.#parts
    this.#cancelAll()
    this.#codec = codec
    this.#core = new BftCore({
      address,
      rules: rulesAt(height),
      generation: codec.generation,
      limits,
      signatureLog: this.#signatureLog,
      signsWithoutLog,
      past: this.#core?.past,
    })
  }

  #tell(event: Body<Event>): void {
    if (this.#isStopped || this.#isSuspended || this.#core === undefined) return
    const { clock } = this.#parts
    const now = { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
    for (const action of this.#core.handle({ ...event, now })) {
      const perform: (action: never) => void = this.#performers[action.type]
      perform(action as never)
    }
  }

  readonly #performers: { readonly [Type in Action['type']]: (action: Requested<Type>) => void } = {
    build: (action) => this.#build(action),
    buildSoon: (action) => this.#ahead.expect(this.#orderOf({ ...action, round: 0 }), action),
    validate: (action) => this.#validate(action),
    persist: (action) => this.#answer(action, () => this.#persist(action)),
    sign: (action) => this.#answer(action, () => this.#sign(action)),
    import: (action) => this.#answer(action, () => this.#import(action)),
    cancel: ({ id }) => this.#cancels.get(id)?.abort(),
    send: (action) => this.#send(action),
    gossip: (action) => this.#gossip(action),
    startTimer: (action) => this.#startTimer(action),
    cancelTimer: ({ timer }) => this.#timers.get(timer)?.cancel(),
    peerAhead: ({ from, height }) => this.#parts.onPeerAhead(from as Address, height),
    report: ({ report }) => this.#parts.onReport(report),
  }

  #build(action: Requested<'build'>): void {
    const order = this.#orderOf(action)
    this.#answerCancellable(action, async (signal) => {
      if (order.height === 1 && order.round === 0)
        await untilAllConnected(this.#parts, order.validators, this.#requestTimeoutMs, signal)
      const block = await this.#ahead.build(order, signal)
      return { type: 'built', ...keyOf(action), block, transactions: transactionCount(block) }
    })
  }

  #orderOf({ height, round, parent, timestampSeconds }: Omit<BuildOrder, 'validators'>): BuildOrder {
    return { height, round, parent, timestampSeconds, validators: this.#validators }
  }

  async #buildBlock(
    order: BuildOrder,
    signal: AbortSignal,
    waitForMore?: WaitForMore,
  ): Promise<ProposedBlock> {
    const { blocks, keccak, codecAt } = this.#parts
    const encoded = await blocks.build(order, signal, waitForMore)
    return decodeProposedBlock(codecAt(order.height).protocol, encoded, undefined, keccak)
  }

  #validate(action: Requested<'validate'>): void {
    this.#answerCancellable(action, async (signal) => {
      const verdict = await this.#parts.blocks.validate(action.block.encoded, signal)
      return { type: 'validated', ...keyOf(action), ...verdict }
    })
  }

  async #persist(action: Requested<'persist'>): Promise<Body<Event>> {
    const { clock, signatureLog } = this.#parts
    const startMs = clock.monotonicMs()
    await signatureLog.save(action.entry)
    this.#signatureLog = action.entry
    this.#lastPersistMs = clock.monotonicMs() - startMs
    return { type: 'persisted', ...keyOf(action) }
  }

  async #sign(action: Requested<'sign'>): Promise<Body<Event>> {
    const { clock, address, signDigest } = this.#parts
    const signing = (this.#codec as MessageCodec).sign(action.draft, address, signDigest)
    const signed = await withDeadline(clock, SIGN_DEADLINE_MS, signing, 'The signature of a vote')
    return { type: 'signed', ...keyOf(action), signed }
  }

  async #import(action: Requested<'import'>): Promise<Body<Event>> {
    const { protocol } = this.#codec as MessageCodec
    const verdict = await this.#parts.blocks.importBlock(sealedBlock(protocol, action.block, action.seals))
    if (verdict.ok) return { type: 'imported', ...keyOf(action) }
    return { type: 'importRefused', ...keyOf(action), sentence: verdict.sentence }
  }

  #answerCancellable(
    key: Requested<'build' | 'validate'>,
    work: (signal: AbortSignal) => Promise<Body<Event>>,
  ): void {
    const cancel = new AbortController()
    this.#cancels.set(key.id, cancel)
    const run = async () => {
      try {
        return await work(cancel.signal)
      } finally {
        if (this.#cancels.get(key.id) === cancel) this.#cancels.delete(key.id)
      }
    }
    this.#answer(key, run, cancel.signal)
  }

  #answer(key: Requested<WorkFailure['what']>, work: () => Promise<Body<Event>>, signal?: AbortSignal): void {
    const { clock, log } = this.#parts
    const startMs = clock.monotonicMs()
    work().then(
      (event) => {
        if (event.type === 'failed')
          this.#failure = { what: key.type, height: key.height, sentence: event.sentence }
        else if (this.#failure?.what === key.type) this.#failure = undefined
        const { type: what, height, round } = key
        const kind = key.type === 'sign' ? key.draft.kind : undefined
        log.debug('Finished consensus work', { what, kind, height, round, ms: clock.monotonicMs() - startMs })
        this.#tell(event)
      },
      (error: unknown) => {
        const sentence = sentenceOf(error)
        if (!signal?.aborted) this.#failure = { what: key.type, height: key.height, sentence }
        this.#tell({ type: 'failed', ...keyOf(key), sentence })
      },
    )
  }

  #send({ message, to }: Requested<'send'>): void {
    const { code, data } = (this.#codec as MessageCodec).encode(message)
    const { network, address } = this.#parts
    this.#gossiped.add(messageIdentity(message))
    network.send(to === undefined ? this.#validators.filter((each) => each !== address) : [to], code, data)
  }

  #gossip({ message, raw, code, from, author }: Requested<'gossip'>): void {
    if (!this.#gossiped.add(messageIdentity(message))) return
    const { kind } = message
    const { height, round } = message.signed.payload
    const relayed = { author, kind, height, round, code, raw }
    const mayPass = this.#mayPass(relayed) || this.#isAwaited(relayed)
    // A round change without receivers is relayed when its author repeats it.
    if (!mayPass && kind !== 'roundChange') return
    const { address } = this.#parts
    const others = this.#validators.filter((each) => each !== address && each !== from && each !== author)
    this.#relay.pass(relayed, mayPass ? others : [])
  }

  #mayPass({ author, kind, raw }: RelayedMessage): boolean {
    const { length } = this.#validators
    return this.#passOnBudget.take(author, kind, raw.length, length, this.#parts.clock.monotonicMs())
  }

  /** The first proposal of the present round: messages of other authors must not keep it back. */
  #isAwaited({ kind, height, round }: RelayedMessage): boolean {
    if (kind !== 'proposal' || this.state()?.round !== round) return false
    const isFirst = this.#awaited?.height !== height || this.#awaited.round !== round
    this.#awaited = { height, round }
    return isFirst
  }

  #startTimer({ timer, id, delayMs }: Requested<'startTimer'>): void {
    this.#timers.get(timer)?.cancel()
    if (timer === 'round') this.#relay.roundBegan(this.state()?.round ?? 0, delayMs)
    const run = () => this.#tell({ type: 'timer', timer, id })
    this.#timers.set(timer, this.#parts.clock.after(delayMs, run))
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof Fault) return error.data.sentence
  return error instanceof Error ? error.message : String(error)
}

function keyOf({ id, height, round }: RequestKey): RequestKey {
  return { id, height, round }
}

/** Maximum waiting messages per peer. */
const MAX_WAITING_PER_PEER = 3

interface ReceivedMessage {
  readonly from: Address
  readonly code: number
  readonly data: Uint8Array
  readonly remembered: Remembered<MessageFacts>
}

interface LargeMessage extends ReceivedMessage {
  /** The signed part. */
  readonly pieces: readonly Uint8Array[]
}

interface LargeMessageParts {
  readonly hash: (pieces: readonly Uint8Array[]) => Promise<Uint8Array>
  readonly isValidator: (peer: Address) => boolean
  readonly read: (message: LargeMessage, digest: Uint8Array) => void
  /** Called if the hash failed. */
  readonly onLost: (message: LargeMessage, error: unknown) => void
}

/**
 * Messages that sign a complete block, such as QBFT proposals: the author is unknown before all of it is hashed, which the
 * writer does, one at a time. Messages from validators come first.
 */
class LargeMessages {
  readonly #parts: LargeMessageParts
  #waiting: readonly LargeMessage[] = []
  #isHashing = false

  constructor(parts: LargeMessageParts) {
    this.#parts = parts
  }

  hasRoom(peer: Address): boolean {
    return this.#waiting.filter(({ from }) => from === peer).length < MAX_WAITING_PER_PEER
  }

  add(message: LargeMessage): void {
    this.#waiting = [...this.#waiting, message]
    if (!this.#isHashing) this.#hashNext()
  }

  clear(): void {
    this.#waiting = []
  }

  #hashNext(): void {
    const next = this.#waiting.find(({ from }) => this.#parts.isValidator(from)) ?? this.#waiting[0]
    this.#isHashing = next !== undefined
    if (next === undefined) return
    const { hash, read, onLost } = this.#parts
    hash(next.pieces)
      .then(
        (digest) => read(next, digest),
        (error: unknown) => onLost(next, error),
      )
      .finally(() => {
        this.#waiting = this.#waiting.filter((message) => message !== next)
        this.#hashNext()
      })
  }
}
