/** A validator: the machine under test, in a world that performs its actions late, in any order, or never. */
import { BftCore } from '#consensus/bft/core/machine.ts'
import type { Action, Event, Report, SignatureEntry, TimerName } from '#consensus/bft/events.ts'
import type { BftMessage, Payload, ProposedBlock, Signed } from '#consensus/bft/messages.ts'
import { emptyEntry } from '#consensus/bft/record-signature.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { PassOnBudget, PeerBudget } from '#consensus/peer-budget.ts'
import { Relay, type RelayedMessage } from '#consensus/relay.ts'
import { type Clock, repeat } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { Random } from '../support/random.ts'
import type { Carrier } from './carrier.ts'
import type { Monitor } from './monitor.ts'
import type { Network } from './network.ts'
import type { DecidedBlock, SimChain } from './sim-chain.ts'
import { SimDisk } from './sim-disk.ts'
import type { Ticket, Timeline } from './timeline.ts'

export interface World {
  readonly timeline: Timeline
  readonly random: Random
  readonly network: Network
  readonly chain: SimChain
  readonly monitor: Monitor
  readonly rules: BftRules
  /** The rules with the form in which a validator sends blocks above round 0. */
  rulesOf(index: number): BftRules
  readonly validators: SimValidator[]
  /** The validator vote in a block that this validator builds. */
  voteOf(address: Address): BftVote | null
  readonly carrier: Carrier
  readonly isForwarded: boolean
  readonly isPatient: boolean
  /** Called when an honest validator imported a block, so a follower sees it. */
  follow(decided: DecidedBlock, wallMs: number): void
  /** Virtual time does not advance until the work is done. */
  waitFor(work: Promise<void>): void
}

export interface Speed {
  readonly buildMs: number
  readonly validateMs: number
  readonly importMs: number
  /** The share of builds and validations without an answer. */
  readonly never: number
}

export const LIMITS = { maxDistance: 10, maxMessages: 1_000, maxBytes: 8 * 1024 * 1024 } as const
/** The start of the simulation, by the wall clock. */
export const START_MS = 10_000
const STATUS_PERIOD_MS = 3_000
const SIGN_MAX_MS = 2

type Without<Type, Key extends string> = Type extends unknown ? Omit<Type, Key> : never

export class SimValidator {
  readonly index: number
  readonly address: Address
  readonly disk: SimDisk
  head: DecidedBlock
  skewMs = 0
  speed: Speed = { buildMs: 20, validateMs: 20, importMs: 10, never: 0 }
  rounds = 0
  /** The mistake of a driver that does not replace timers. */
  keepsTimers = false
  /** The mistake of a machine that treats every log as complete. */
  signsWithoutLog = false
  /** The mistake of reading a damaged log as far as possible. */
  ignoresLoss = false
  /** The mistake of ignoring the writer's refusal. */
  acceptsRefused = false
  /** The mistake of a relay that never sends what waited. */
  relaysNeverDue = false
  /** The mistake of relays that wait in every round. */
  relaysAllWait = false
  /** Below 1, its timers run fast. */
  protected timerPace = 1
  protected readonly world: World
  #core: BftCore | undefined
  #life = 0
  #gossiped = new Set<Uint8Array>()
  readonly #peerBudget = new PeerBudget()
  readonly #passOnBudget = new PassOnBudget()
  #relay: Relay | undefined
  /** Messages of this height that it received, as bytes. */
  #received = new Set<Uint8Array>()
  readonly #timers = new Map<TimerName, Ticket>()

  constructor(world: World, index: number, address: Address) {
    this.world = world
    this.index = index
    this.address = address
    this.head = world.chain.start
    this.disk = new SimDisk(world.timeline, world.random)
  }

  get name(): string {
    return `validator ${this.index}`
  }

  get isHonest(): boolean {
    return true
  }

  /** Whether its data directory was lost, or is older than its signatures. */
  get wasRestored(): boolean {
    return false
  }

  protected get passesOn(): boolean {
    return this.world.isForwarded
  }

  get isRunning(): boolean {
    return this.#core !== undefined
  }

  start(): void {
    this.#life++
    this.#core = new BftCore({
      address: this.address,
      rules: this.world.rulesOf(this.index),
      generation: this.world.carrier.generationOf(this.index),
      limits: LIMITS,
      signatureLog: this.#signatureLog(),
      signsWithoutLog: this.signsWithoutLog,
    })
    this.#relay = this.world.isPatient ? this.#createRelay() : undefined
    this.#enter()
    this.#later(this.world.random.below(STATUS_PERIOD_MS), () => this.#askForHead())
  }

  #signatureLog(): SignatureEntry | 'lost' | undefined {
    const loaded = this.disk.load()
    const isIgnored = loaded === 'lost' && this.ignoresLoss
    return isIgnored ? emptyEntry({ height: this.head.height + 1, round: 0 }) : loaded
  }

  /** An orderly stop: pending writes are completed. */
  stop(): void {
    this.disk.flush()
    this.crash()
  }

  crash(): void {
    this.#life++
    this.#core = undefined
    for (const ticket of this.#timers.values()) ticket.isCancelled = true
    this.#timers.clear()
    this.#gossiped.clear()
    this.#received.clear()
    this.#relay = undefined
    this.disk.crash()
  }

  receive(message: BftMessage, from: SimValidator): void {
    if (!this.isRunning) return
    const raw = this.world.carrier.rawOf(message)
    const { nowMs } = this.world.timeline
    const validators = this.world.validators.map(({ address }) => address)
    if (!this.#peerBudget.take(from.address, raw.length, validators, nowMs)) return
    this.world.monitor.onDelivered(this, message)
    if (this.#relay !== undefined && !this.#isFirst(this.#relay, message, raw, from)) return
    this.#handle({
      type: 'message',
      message,
      raw,
      code: 0,
      from: String(from.index),
    })
  }

  /** Nodes show their heads to each other when they connect. */
  onLinked(other: SimValidator): void {
    this.onReconnected(other.address)
    this.#tellHead(other)
  }

  onReconnected(validator: Address): void {
    this.#relay?.reconnected(validator)
    if (this.isRunning) this.#handle({ type: 'peerReconnected', validator })
  }

  /** A node does not handle copies of a message, but they tell it who hears the author. */
  #isFirst(relay: Relay, message: BftMessage, raw: Uint8Array, from: SimValidator): boolean {
    const { height, round } = message.signed.payload
    const { kind } = message
    relay.received(from.address, { author: message.signed.author, kind, height, round })
    if (this.#received.has(raw)) return false
    this.#received.add(raw)
    return true
  }

  #createRelay(): Relay {
    const clock: Clock = {
      wallMs: () => this.#wallMs(),
      monotonicMs: () => this.world.timeline.nowMs,
      after: (delayMs, run) => {
        const ticket = this.#later(delayMs, this.relaysNeverDue ? () => undefined : run)
        return {
          cancel: () => {
            ticket.isCancelled = true
          },
        }
      },
      every: (periodMs, run) => repeat(clock, periodMs, run),
    }
    return new Relay({
      clock,
      send: (to, _code, raw) => this.passTo(to, raw),
      mayRepeat: (message) => this.#mayPass(message),
    })
  }

  #enter(): void {
    const context = this.world.chain.contextAfter(this.head)
    this.#relay?.enter(context.validators, context.requestTimeoutMs)
    this.#handle({ type: 'headMoved', context })
  }

  /** A block of another validator; missing earlier ones are fetched. */
  receiveBlock(decided: DecidedBlock): void {
    if (!this.isRunning || decided.height <= this.head.height) return
    const missing: DecidedBlock[] = []
    for (let block = decided; block.height > this.head.height; block = block.parent!) missing.push(block)
    this.#later(this.speed.importMs, () => this.#adopt(missing.reverse()))
  }

  protected transmit(message: BftMessage, to: Address | undefined): void {
    this.world.monitor.onSend(this, message)
    for (const other of this.validatorsOf(to)) this.sendTo(other, message)
  }

  protected sendTo(other: SimValidator, message: BftMessage): void {
    const deliver = (): void =>
      other.receive(this.world.carrier.carry(message, this.index, other.index), this)
    const { kind } = message
    const phase = kind === 'prepare' || kind === 'commit' ? kind : undefined
    this.world.network.send(this.index, other.index, deliver, phase)
  }

  /** The other validators of the height, or one of them. */
  protected validatorsOf(only: Address | undefined): SimValidator[] {
    const addresses = this.world.chain.validatorsAfter(this.head)
    return this.world.validators.filter(
      ({ address, index }) =>
        index !== this.index && addresses.includes(address) && (only === undefined || address === only),
    )
  }

  #adopt([decided, ...rest]: readonly DecidedBlock[]): void {
    if (decided === undefined) return
    const { block, parent, seals } = decided
    const isNext = block !== undefined && parent?.hash === this.head.hash
    if (!isNext || this.world.monitor.sealsProblem(decided) !== undefined) {
      this.#adopt(rest)
      return
    }
    this.#judge(block, seals, (problem) => {
      if (problem === undefined) this.#moveTo(decided)
      // Others may have no other way to the block.
      if (problem === undefined && this.world.network.links !== undefined) this.#tellHeads()
      this.#adopt(rest)
    })
  }

  /** Judges at once, or while virtual time does not advance. */
  #judge(
    block: ProposedBlock,
    seals: readonly Uint8Array[] | undefined,
    use: (problem: string | undefined) => void,
  ): void {
    const verdict = this.world.chain.judge(block, this.head, this.#wallMs(), seals)
    if (verdict instanceof Promise) this.world.waitFor(verdict.then(use))
    else use(verdict)
  }

  #moveTo(decided: DecidedBlock): void {
    if (this.isHonest) {
      this.world.monitor.onDecided(this, decided, this.#wallMs())
      this.world.follow(decided, this.#wallMs())
    }
    this.head = decided
    this.#gossiped.clear()
    this.#received.clear()
    this.#requireBounds()
    this.#enter()
  }

  #handle(event: Without<Event, 'now'>): void {
    if (this.#core === undefined) return
    const now = { wallMs: this.#wallMs(), monotonicMs: this.world.timeline.nowMs }
    for (const action of this.#core.handle({ ...event, now } as Event)) this.#perform(action)
  }

  #requireBounds(): void {
    const { messages, bytes } = this.#core!.state()!.future
    if (messages <= LIMITS.maxMessages && bytes <= LIMITS.maxBytes) return
    this.world.monitor.violate(`${this.name} keeps ${messages} messages of later heights`)
  }

  #perform(action: Action): void {
    if (action.type === 'build') this.#build(action)
    else if (action.type === 'validate') this.#validate(action)
    else if (action.type === 'persist') this.#persist(action)
    else if (action.type === 'sign') this.#sign(action)
    else if (action.type === 'import') this.#import(action)
    else if (action.type === 'send') this.transmit(action.message, action.to)
    else if (action.type === 'gossip') this.#forward(action)
    else if (action.type === 'startTimer') this.#startTimer(action)
    else if (action.type === 'cancelTimer') this.#cancelTimer(action.timer)
    else if (action.type === 'peerAhead') this.#askForHead(Number(action.from))
    else if (action.type === 'report') this.#onReport(action.report)
  }

  #onReport(report: Report): void {
    if (report.kind === 'roundStarted') this.rounds++
    if (this.isHonest) this.world.monitor.onReport(this, report)
  }

  #persist(action: Action & { type: 'persist' }): void {
    const answer = this.#alive(() => this.#handle({ ...keyOf(action), type: 'persisted' }))
    if (this.isHonest) this.world.monitor.onPersist(this, action.entry)
    this.disk.write(action.entry, answer)
  }

  #build(action: Action & { type: 'build' }): void {
    const { random, chain } = this.world
    if (random.chance(this.speed.never)) return
    this.#later(random.below(this.speed.buildMs + 1), () => {
      if (action.parent !== this.head.hash) return
      const block = chain.build(this.head, {
        author: this.address,
        round: action.round,
        timestampSeconds: action.timestampSeconds,
        nonce: random.uint32(),
        vote: this.world.voteOf(this.address),
        isBroken: false,
      })
      this.#handle({ ...keyOf(action), type: 'built', block, transactions: random.below(2) })
    })
  }

  #validate(action: Action & { type: 'validate' }): void {
    const { random } = this.world
    if (random.chance(this.speed.never)) return
    this.#later(random.below(this.speed.validateMs + 1), () =>
      this.#judge(action.block, undefined, (sentence) => {
        const verdict =
          sentence === undefined || this.acceptsRefused
            ? ({ ok: true } as const)
            : ({ ok: false, sentence } as const)
        this.#handle({ ...keyOf(action), type: 'validated', ...verdict })
      }),
    )
  }

  #sign(action: Action & { type: 'sign' }): void {
    if (this.isHonest) this.world.monitor.onSigning(this, action.draft, this.#wallMs())
    const answer = (signed: Signed<Payload>): void =>
      void this.#later(this.world.random.below(SIGN_MAX_MS + 1), () =>
        this.#handle({ ...keyOf(action), type: 'signed', signed }),
      )
    const signed = this.world.carrier.sign(action.draft, this.index)
    if (signed instanceof Promise) this.world.waitFor(signed.then(answer))
    else answer(signed)
  }

  #import(action: Action & { type: 'import' }): void {
    this.#later(this.speed.importMs, () => {
      const isNext = action.block.header.parentHash === this.head.hash
      if (!isNext) {
        this.#handle({ ...keyOf(action), type: 'imported' })
        return
      }
      // Decided by others whose clocks run ahead: it becomes valid later.
      this.#judge(action.block, action.seals, (problem) => {
        if (problem !== undefined) {
          this.#handle({ ...keyOf(action), type: 'importRefused', sentence: problem })
          return
        }
        this.#handle({ ...keyOf(action), type: 'imported' })
        this.#moveTo(this.world.chain.decide(action.block, action.seals, this.head))
        this.#tellHeads()
      })
    })
  }

  #forward({ message: { kind, signed }, raw, code, from, author }: Action & { type: 'gossip' }): void {
    if (!this.passesOn || this.#gossiped.has(raw)) return
    this.#gossiped.add(raw)
    const mayPass = this.#mayPass({ author, kind, raw })
    if (!mayPass && (kind !== 'roundChange' || this.#relay === undefined)) return
    const to = this.validatorsOf(undefined)
      .filter(({ address, index }) => address !== author && String(index) !== from)
      .map(({ address }) => address)
    const { height } = signed.payload
    const round = this.relaysAllWait ? 0 : signed.payload.round
    if (this.#relay === undefined) this.passTo(to, raw)
    else this.#relay.pass({ author, kind, height, round, code, raw }, mayPass ? to : [])
  }

  #mayPass({ author, kind, raw }: Pick<RelayedMessage, 'author' | 'kind' | 'raw'>): boolean {
    const { length } = this.world.validators
    return this.#passOnBudget.take(author, kind, raw.length, length, this.world.timeline.nowMs)
  }

  protected passTo(to: readonly Address[], raw: Uint8Array): void {
    const message = this.world.carrier.messageOf(raw)
    for (const other of this.validatorsOf(undefined)) {
      if (to.includes(other.address)) this.sendTo(other, message)
    }
  }

  #startTimer({ timer, id, delayMs }: Action & { type: 'startTimer' }): void {
    if (this.keepsTimers && this.#timers.has(timer)) return
    this.#cancelTimer(timer)
    if (timer === 'round') this.#relay?.roundBegan(this.#core?.state()?.round ?? 0, delayMs)
    const fire = (): void => {
      this.#timers.delete(timer)
      this.#handle({ type: 'timer', timer, id })
    }
    this.#timers.set(timer, this.#later(delayMs * this.timerPace, fire))
  }

  #cancelTimer(timer: TimerName): void {
    const ticket = this.#timers.get(timer)
    if (ticket === undefined) return
    ticket.isCancelled = true
    this.#timers.delete(timer)
  }

  /** Asks for the head, as nodes do when they connect and from time to time. */
  #askForHead(only?: number): void {
    const { validators, random, network } = this.world
    const other = validators[only ?? random.below(validators.length)]!
    if (other !== this) network.send(this.index, other.index, () => other.#tellHead(this))
    if (only === undefined) this.#later(STATUS_PERIOD_MS, () => this.#askForHead())
  }

  #tellHeads(): void {
    for (const other of this.world.validators) if (other !== this) this.#tellHead(other)
  }

  #tellHead(other: SimValidator): void {
    if (!this.isRunning) return
    const { head } = this
    this.world.network.send(this.index, other.index, () => other.receiveBlock(head))
  }

  /** Not after a crash in between. */
  #later(delayMs: number, run: () => void): Ticket {
    return this.world.timeline.after(delayMs, this.#alive(run))
  }

  #alive(run: () => void): () => void {
    const life = this.#life
    return () => {
      if (life === this.#life) run()
    }
  }

  #wallMs(): number {
    return START_MS + this.world.timeline.nowMs + this.skewMs
  }
}

function keyOf({ id, height, round }: { id: number; height: number; round: number }) {
  return { id, height, round }
}
