/**
 * The machine of QBFT and IBFT 2.0: events in, actions out, and the same actions for the same events always. It knows
 * no clock, socket, disk or key. How the protocols differ, and every judgement, is in the rules it is given.
 * What goes beyond one height is here, the height and its rounds in height.ts.
 */

import type { Action, Event, HeightContext, LoadedVotes, Now, TimerName } from '#consensus/bft/events.ts'
import type { BftMessage, WireGeneration } from '#consensus/bft/messages.ts'
import { mayBeOnRecord } from '#consensus/bft/record-vote.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'
import { type FutureLimits, FutureMessages, type MessageEvent } from './future-messages.ts'
import { Height } from './height.ts'
import { Manner } from './manner.ts'
import { Observations } from './observations.ts'
import { OwnPast } from './own-past.ts'
import { Reporter } from './reporter.ts'
import { SigningDesk } from './signing-desk.ts'
import type { CoreSnapshot } from './snapshot.ts'

export interface CoreOptions {
  /** Of the key of this node. */
  readonly address: Address
  readonly rules: BftRules
  readonly generation: WireGeneration
  readonly limits: FutureLimits
  /** What was signed before, as loaded at the start. */
  readonly votes: LoadedVotes
  /** True: the operator knows that nothing is missing from the record, or that what is missing does not matter. */
  readonly signsWithoutVotes: boolean
  /** Of the machine before, where the protocol changed: what it has found out holds. */
  readonly past?: OwnPast | undefined
}

/** What a height needs of the machine around it. */
export interface Surroundings extends CoreOptions {
  readonly past: OwnPast
  readonly desk: SigningDesk
  readonly seen: Observations
  readonly manner: Manner
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
  readonly #desk: SigningDesk
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
    this.past = options.past ?? new OwnPast(options.votes, options.signsWithoutVotes)
    const loaded = typeof options.votes === 'object' ? options.votes : undefined
    this.#desk = new SigningDesk(options.rules, loaded, this.past)
    const now = (): Now => this.#now
    const act = (action: Action): void => void this.#actions.push(action)
    this.#reporter = new Reporter(this.#seen, now, act)
    this.#surroundings = {
      ...options,
      past: this.past,
      desk: this.#desk,
      seen: this.#seen,
      manner: new Manner(options.rules),
      reporter: this.#reporter,
      now,
      nextId: () => ++this.#lastId,
      act,
      startTimer: (timer, delayMs) => this.#startTimer(timer, delayMs),
      cancelTimer: (timer) => this.#cancelTimer(timer),
    }
  }

  /** What is to be done, in order. */
  handle(event: Event): readonly Action[] {
    this.#actions = []
    this.#now = event.now
    if (event.type === 'headMoved') this.#onHead(event.context)
    else if (event.type === 'message') this.#onMessage(event)
    else if (event.type === 'timer') this.#onTimer(event)
    else this.#height?.handle(event)
    return this.#actions
  }

  snapshot(): CoreSnapshot | undefined {
    return this.#height?.snapshot({
      timers: [...this.#timers].map(([timer, { dueMs }]) => ({ timer, dueMonotonicMs: dueMs })),
      future: this.#future.size,
    })
  }

  #onHead(context: HeightContext): void {
    const current = this.#height?.context
    if (current?.height === context.height && current.parent.hash === context.parent.hash) return
    this.#height?.cancelWork()
    for (const timer of this.#timers.keys()) this.#cancelTimer(timer)
    this.#desk.dropBefore({ height: context.height, round: 0 })
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

  /** Not while it waits: the mark would say at the next start that the record is as new as the chain. */
  #reached(height: number): Action | undefined {
    return this.past.maySign ? this.#desk.reach(height, this.#surroundings.nextId()) : undefined
  }

  /** Once voted in, a validator without a file looks like one that lost it. */
  #neverSigned(): Action | undefined {
    return this.past.mayBeOwn ? this.#desk.begin(this.#surroundings.nextId()) : undefined
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

  /** Others send back what this node wrote; what it did not write shows that its key is used elsewhere. */
  #noticeOwn(message: BftMessage, context: HeightContext): void {
    const { height } = message.signed.payload
    if (height < context.height || !context.validators.includes(this.#options.address)) return
    if (mayBeOnRecord(this.#desk.record, message)) return
    const sentence = 'It is signed with the key of this node, by another node or before its record of votes.'
    this.#reporter.refuse(message, sentence)
    this.past.sawStrangeVote(height)
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
