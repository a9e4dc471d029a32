/**
 * The state machine of QBFT and IBFT 2.0: events in, actions out, deterministic. It has no clock, socket, disk or key. The
 * protocol differences and all judgements are in its rules. This file handles what spans heights; height.ts handles one height.
 */

import type { Action, Event, HeightContext, LoadedLog, Now, TimerName } from '#consensus/bft/events.ts'
import type {
  BftMessage,
  CommitMessage,
  PrepareMessage,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
  WireGeneration,
} from '#consensus/bft/messages.ts'
import { mayBeInLog } from '#consensus/bft/record-signature.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'
import type { CoreState } from './core-state.ts'
import { type FutureLimits, FutureMessages, type MessageEvent } from './future-messages.ts'
import { Height } from './height.ts'
import { Observations, Reporter } from './observations.ts'
import { OwnPast } from './own-past.ts'
import { Signing } from './signing.ts'

export interface CoreOptions {
  /** The address of the node key. */
  readonly address: Address
  readonly rules: BftRules
  readonly generation: WireGeneration
  readonly limits: FutureLimits
  /** The signature log as loaded at start. */
  readonly signatureLog: LoadedLog
  /** True if the operator confirms that no relevant signature is missing from the log. */
  readonly signsWithoutLog: boolean
  /** The findings of the previous machine after a protocol change. */
  readonly past?: OwnPast | undefined
}

/** The parts of the machine that a height uses. */
export interface Surroundings extends CoreOptions {
  readonly past: OwnPast
  readonly signing: Signing
  readonly seen: Observations
  readonly formChoice: FormChoice
  readonly reporter: Reporter
  readonly now: () => Now
  readonly nextId: () => number
  readonly act: (action: Action) => void
  readonly startTimer: (timer: TimerName, delayMs: number) => void
  readonly cancelTimer: (timer: TimerName) => void
}

export class BftCore {
  readonly past: OwnPast
  readonly #options: CoreOptions
  readonly #future: FutureMessages
  readonly #seen = new Observations()
  readonly #signing: Signing
  readonly #timers = new Map<TimerName, { readonly id: number; readonly dueMs: number }>()
  readonly #surroundings: Surroundings
  readonly #reporter: Reporter
  #actions: Action[] = []
  #now: Now = { wallMs: 0, monotonicMs: 0 }
  #lastId = 0
  #height: Height | undefined

  constructor(options: CoreOptions) {
    this.#options = options
    this.#future = new FutureMessages(options.limits)
    this.past = options.past ?? new OwnPast(options.signatureLog, options.signsWithoutLog)
    const loaded = typeof options.signatureLog === 'object' ? options.signatureLog : undefined
    this.#signing = new Signing(options.rules, loaded, this.past)
    const now = (): Now => this.#now
    const act = (action: Action): void => void this.#actions.push(action)
    this.#reporter = new Reporter(this.#seen, now, act)
    this.#surroundings = {
      ...options,
      past: this.past,
      signing: this.#signing,
      seen: this.#seen,
      formChoice: new FormChoice(options.rules),
      reporter: this.#reporter,
      now,
      nextId: () => ++this.#lastId,
      act,
      startTimer: (timer, delayMs) => this.#startTimer(timer, delayMs),
      cancelTimer: (timer) => this.#cancelTimer(timer),
    }
  }

  /** Returns the actions to perform, in order. */
  handle(event: Event): readonly Action[] {
    this.#actions = []
    this.#now = event.now
    if (event.type === 'headMoved') this.#onHead(event.context)
    else if (event.type === 'message') this.#onMessage(event)
    else if (event.type === 'timer') this.#onTimer(event)
    else this.#height?.handle(event)
    return this.#actions
  }

  state(): CoreState | undefined {
    return this.#height?.state({
      timers: [...this.#timers].map(([timer, { dueMs }]) => ({ timer, dueMonotonicMs: dueMs })),
      future: this.#future.size,
    })
  }

  /** Validators that sent messages of this height or a later one. */
  participants(height: number): readonly Address[] {
    return this.#seen.heardSince(height)
  }

  #onHead(context: HeightContext): void {
    const current = this.#height?.context
    if (current?.height === context.height && current.parent.hash === context.parent.hash) return
    this.#height?.cancelWork()
    for (const timer of this.#timers.keys()) this.#cancelTimer(timer)
    this.#signing.dropBefore({ height: context.height, round: 0 })
    this.#seen.keepOnly(context.validators)
    this.past.enter(context, this.#now, context.validators.includes(this.#options.address))
    this.#height = new Height(this.#surroundings, context)
    this.#markHeight(this.#height)
    this.#height.start()
    for (const event of this.#future.take(context.height)) this.#onMessage(event)
  }

  #markHeight({ context: { height }, isValidator }: Height): void {
    const mark = isValidator ? this.#reached(height) : this.#neverSigned()
    if (mark !== undefined) this.#actions.push(mark)
  }

  /** Not while the node waits: the entry would make the log look as new as the chain at the next start. */
  #reached(height: number): Action | undefined {
    return this.past.maySign ? this.#signing.reach(height, this.#surroundings.nextId()) : undefined
  }

  /** A validator that is voted in later without a log would look like one that lost it. */
  #neverSigned(): Action | undefined {
    return this.past.mayBeOwn ? this.#signing.begin(this.#surroundings.nextId()) : undefined
  }

  #onMessage(event: MessageEvent): void {
    const height = this.#height
    if (height === undefined) return
    const { message, raw, code, from } = event
    const { author, payload } = message.signed
    const { context } = height
    if (author === this.#options.address) this.#noticeOwn(message, context)
    else if (payload.height > context.height) this.#keepForLater(event, context)
    if (payload.height !== context.height || !height.isValidator) return
    if (author === this.#options.address) return
    if (!this.#options.rules.isMember(author, context.validators)) {
      this.#reporter.refuse(message, 'Its author is not a validator of this height.')
    } else {
      this.#seen.hear(message, this.#now.wallMs)
      const passOn = () => this.#surroundings.act({ type: 'gossip', message, raw, code, from, author })
      height.onMessage(message, { from, passOn })
    }
  }

  /** Peers send own messages back; an unknown one shows that another node uses the key. */
  #noticeOwn(message: BftMessage, context: HeightContext): void {
    const { height } = message.signed.payload
    if (height < context.height || !context.validators.includes(this.#options.address)) return
    if (mayBeInLog(this.#signing.entry, message)) return
    const sentence = 'It is signed with the key of this node, by another node or before its record of votes.'
    this.#reporter.refuse(message, sentence)
    this.past.sawStrangeSignature(height)
  }

  #keepForLater(event: MessageEvent, { height, validators }: HeightContext): void {
    const dropped = this.#future.add(event, height, validators)
    if (dropped > 0) this.#reporter.report({ kind: 'dropped', messages: dropped })
    const known = event.message.signed.payload.height - 1
    this.#surroundings.act({ type: 'peerAhead', from: event.from, height: known })
  }

  #onTimer({ timer, id }: Event & { type: 'timer' }): void {
    if (this.#timers.get(timer)?.id !== id) return
    this.#timers.delete(timer)
    this.#height?.onTimer(timer)
  }

  #startTimer(timer: TimerName, delayMs: number): void {
    const id = this.#surroundings.nextId()
    this.#timers.set(timer, { id, dueMs: this.#now.monotonicMs + delayMs })
    this.#actions.push({ type: 'startTimer', timer, id, delayMs })
  }

  #cancelTimer(timer: TimerName): void {
    if (this.#timers.delete(timer)) this.#actions.push({ type: 'cancelTimer', timer })
  }
}

/**
 * Chooses the form of proposed blocks above round 0. Besu writes the round into the block. GoQuorum writes 0 in every round and
 * signs the hash of that, whatever it received. So the block is sent with round 0 if a GoQuorum validator has reached the
 * round, otherwise with its round. ADR 41 explains why neither form always works.
 */
class FormChoice {
  readonly #plain = new Set<Address>()
  /** Validators that wrote a round into a block, which GoQuorum never does; they accept both forms. */
  readonly #others = new Set<Address>()
  readonly #rules: Pick<BftRules, 'forms' | 'sentForm'>

  constructor(rules: Pick<BftRules, 'forms' | 'sentForm'>) {
    this.#rules = rules
  }

  /** `present` are the round changes to this round. */
  formOf(block: ProposedBlock, round: number, present: readonly RoundChangeMessage[]): ProposedBlock {
    const isForPlain = present.some(({ signed }) => this.#isPlain(signed.author))
    return this.#rules.sentForm(block, round, isForPlain)
  }

  /** Learns from a valid proposal. A plain one that was justified by a plain validator says nothing about its author. */
  hearProposal({ signed: { author, payload }, block, roundChanges }: ProposalMessage): void {
    if (payload.round === 0) return
    if (block.digest !== block.hash) this.#others.add(author)
    else if (!roundChanges.some((change) => this.#isPlain(change.author))) this.#plain.add(author)
  }

  /** Learns from a prepare or commit in the round of the proposed block. */
  hearPrepareOrCommit(
    { signed: { author, payload } }: PrepareMessage | CommitMessage,
    block: ProposedBlock,
    round: number,
  ): void {
    if (payload.round !== round || block.digest === block.hash) return
    if (payload.digest === block.hash) this.#plain.add(author)
    if (payload.digest === block.digest) this.#others.add(author)
  }

  #isPlain(author: Address): boolean {
    return this.#plain.has(author) && !this.#others.has(author)
  }
}
