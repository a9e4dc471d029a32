/**
 * Validators that break the rules on purpose. They run the machine as well and lie with its messages; they sign those
 * themselves.
 */

import type {
  BftMessage,
  Draft,
  Payload,
  PreparedCertificate,
  PreparePayload,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from '#consensus/bft/messages.ts'
import { MAX_ROUND } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'
import { decisiveCount, turnOf } from './oracle.ts'
import { SimValidator, START_MS, type World } from './sim-validator.ts'

export const MISCHIEFS = [
  'silent',
  'equivocate',
  'withhold',
  'forge',
  'replay',
  'runAhead',
  'hidePrepared',
  'claim',
  'break',
] as const
/** Lies about who hears whom: copies to all, no relays, relays at some times only, and relays to some validators only. */
export const RELAY_LIES = ['echo', 'swallow', 'alternate', 'favour'] as const
export type Mischief = (typeof MISCHIEFS)[number] | (typeof RELAY_LIES)[number]

const MISCHIEF_PERIOD_MS = 400
const MAX_OVERHEARD = 300
/** How long it relays, so others rely on it, and then how long it does not. */
const ALTERNATION_MS = 7_000

export class ByzantineValidator extends SimValidator {
  readonly #mischiefs: ReadonlySet<Mischief>
  readonly #overheard: BftMessage[] = []
  /** The other blocks of a round, to sign for both. */
  readonly #others = new Map<string, ProposedBlock>()
  readonly #echoed = new WeakSet<Uint8Array>()
  acts = 0

  constructor(world: World, index: number, address: Address, mischiefs: readonly Mischief[]) {
    super(world, index, address)
    this.#mischiefs = new Set(mischiefs)
  }

  override get isHonest(): boolean {
    return false
  }

  override start(): void {
    super.start()
    this.world.timeline.after(MISCHIEF_PERIOD_MS, () => this.#act())
  }

  override receive(message: BftMessage, from: SimValidator): void {
    this.#overheard.push(message)
    if (this.#overheard.length > MAX_OVERHEARD) this.#overheard.shift()
    if (this.#mischiefs.has('echo')) this.#echo(message)
    super.receive(message, from)
  }

  /** Also to those that sent it, so everyone believes that it hears everyone. */
  #echo(message: BftMessage): void {
    const raw = this.world.carrier.rawOf(message)
    if (!this.isRunning || this.#echoed.has(raw)) return
    this.#echoed.add(raw)
    for (const other of this.validatorsOf(undefined)) this.#say(other, message)
  }

  protected override get passesOn(): boolean {
    if (this.#mischiefs.has('swallow')) return false
    const isResting = Math.floor(this.world.timeline.nowMs / ALTERNATION_MS) % 2 === 1
    return super.passesOn && !(this.#mischiefs.has('alternate') && isResting)
  }

  protected override passTo(to: readonly Address[], raw: Uint8Array): void {
    const isFavoured = () => !this.#mischiefs.has('favour') || this.world.random.chance(0.5)
    super.passTo(to.filter(isFavoured), raw)
  }

  protected override transmit(message: BftMessage, to: Address | undefined): void {
    for (const other of this.validatorsOf(to)) {
      if (this.#mischiefs.has('silent')) this.#count()
      else if (this.#mischiefs.has('withhold') && this.world.random.chance(0.5)) this.#count()
      else if (message.kind === 'roundChange') this.#sendRoundChange(other, message)
      else if (this.#mischiefs.has('equivocate') && other.index % 2 === 1) this.#sendOther(other, message)
      else this.sendTo(other, message)
    }
  }

  #act(): void {
    const { random, timeline } = this.world
    if (this.isRunning && this.#overheard.length > 0) {
      if (this.#mischiefs.has('replay')) this.#replay()
      if (this.#mischiefs.has('forge')) this.#forge()
      if (this.#mischiefs.has('runAhead')) this.#runAhead()
      if (this.#mischiefs.has('claim')) this.#claim()
      if (this.#mischiefs.has('break')) this.#proposeBroken()
    }
    timeline.after(MISCHIEF_PERIOD_MS + random.below(MISCHIEF_PERIOD_MS), () => this.#act())
  }

  #replay(): void {
    const { random } = this.world
    const message = random.pick(this.#overheard)
    for (const other of this.validatorsOf(undefined)) if (random.chance(0.5)) this.#say(other, message)
  }

  /** A proposal for a later round, justified by overheard messages repeated until they look sufficient. */
  #forge(): void {
    const { random } = this.world
    const facts = this.#facts()
    const round = this.#nextOwnRound(1 + random.below(4))
    if (round === undefined) return
    const enough = decisiveCount(facts.validators.length)
    const changes = this.#overheardChanges(round)
    const own = this.#sign({ kind: 'roundChange', height: facts.height, round, certificate: undefined })
    this.#with(own, (signed) => {
      const pool = [...changes, signed as Signed<RoundChangePayload>]
      const roundChanges = random.chance(0.5)
        ? pool.slice(0, enough)
        : Array.from({ length: enough }, () => random.pick(pool))
      const prepares = random.chance(0.5) ? [] : this.#overheardPrepares().slice(0, enough)
      const block = this.#otherBlock(round, false)
      this.#propose(block, round, roundChanges, prepares)
    })
  }

  #runAhead(): void {
    const { random } = this.world
    const { height } = this.#facts()
    const round = random.pick([1, 2, 3, 7, 50, 1_000, MAX_ROUND - 1, MAX_ROUND])
    const ahead = height + random.pick([0, 0, 0, 1, 2, 9, 10, 11, 1_000])
    const draft: Draft = random.chance(0.7)
      ? { kind: 'roundChange', height: ahead, round, certificate: undefined }
      : { kind: 'prepare', height: ahead, round, digest: this.head.hash }
    this.#with(this.#sign(draft), (signed) => {
      for (const other of this.validatorsOf(undefined)) this.#say(other, this.#message(signed))
    })
  }

  /** Claims that its own block was prepared, with the available evidence. */
  #claim(): void {
    const { random } = this.world
    const { height } = this.#facts()
    const round = 1 + random.below(3)
    const block = this.#otherBlock(round - 1, false)
    const prepares = this.#overheardPrepares().slice(0, random.below(4))
    const generation = this.world.carrier.generationOf(this.index)
    this.#with(this.#sign({ kind: 'proposal', height, round: round - 1, block }), (proposed) => {
      const proposal = proposed as ProposalMessage['signed']
      const certificate = { round: round - 1, block, prepares, proposal }
      this.#with(this.#sign({ kind: 'roundChange', height, round, certificate }), (signed) => {
        const beside = this.#beside(prepares)
        const message = {
          kind: 'roundChange',
          signed,
          block,
          prepares: beside,
          generation,
        } as RoundChangeMessage
        for (const other of this.validatorsOf(undefined)) this.#say(other, message)
      })
    })
  }

  #proposeBroken(): void {
    const round = this.#nextOwnRound(0)
    if (round === 0) this.#propose(this.#otherBlock(0, true), 0, [], [])
  }

  #propose(
    block: ProposedBlock,
    round: number,
    roundChanges: readonly Signed<RoundChangePayload>[],
    prepares: readonly Signed<PreparePayload>[],
  ): void {
    const { height } = this.#facts()
    this.#with(this.#sign({ kind: 'proposal', height, round, block }), (signed) => {
      const message: ProposalMessage = {
        kind: 'proposal',
        signed: signed as ProposalMessage['signed'],
        block,
        roundChanges,
        prepares: this.#beside(prepares),
        generation: this.world.carrier.generationOf(this.index),
      }
      for (const other of this.validatorsOf(undefined)) this.#say(other, message)
    })
  }

  /** Half of the others get another block, or a prepare or commit for it. */
  #sendOther(other: SimValidator, message: Exclude<BftMessage, { kind: 'roundChange' }>): void {
    const { height, round } = message.signed.payload
    if (height !== this.head.height + 1) return
    const block = this.#otherBlock(round, false)
    const draft: Draft =
      message.kind === 'proposal'
        ? { kind: 'proposal', height, round, block }
        : message.kind === 'prepare'
          ? { kind: 'prepare', height, round, digest: block.digest }
          : { kind: 'commit', height, round, digest: block.digest, sealed: block.digest }
    this.#with(this.#sign(draft), (signed) => {
      this.#say(
        other,
        message.kind === 'proposal' ? ({ ...message, signed, block } as BftMessage) : this.#message(signed),
      )
      // Signs for both sides.
      if (message.kind !== 'proposal' && this.world.random.chance(0.5)) this.sendTo(other, message)
    })
  }

  /** Hides its certificate, or sends too little of it. */
  #sendRoundChange(other: SimValidator, message: RoundChangeMessage): void {
    const { height, round, prepared } = message.signed.payload
    if (prepared === undefined || !this.#mischiefs.has('hidePrepared')) {
      this.sendTo(other, message)
      return
    }
    const certificate: PreparedCertificate | undefined =
      message.block !== undefined && this.world.random.chance(0.5)
        ? { round: prepared.round, block: message.block, prepares: [], proposal: prepared.proof?.proposal }
        : undefined
    this.#with(this.#sign({ kind: 'roundChange', height, round, certificate }), (signed) => {
      this.#say(other, { ...message, signed, block: certificate?.block, prepares: [] } as BftMessage)
    })
  }

  /** IBFT 2.0 has no place for prepares outside of the signed part. */
  #beside(prepares: readonly Signed<PreparePayload>[]): readonly Signed<PreparePayload>[] {
    return this.world.rules.protocol === 'qbft' ? prepares : []
  }

  #message(signed: Signed<Payload>): BftMessage {
    const { kind } = signed.payload
    const generation = this.world.carrier.generationOf(this.index)
    const message =
      kind === 'roundChange' ? { kind, signed, block: undefined, prepares: [], generation } : { kind, signed }
    return message as BftMessage
  }

  #otherBlock(round: number, isBroken: boolean): ProposedBlock {
    const { chain, random, timeline } = this.world
    const key = `${this.head.hash}:${round}`
    const known = this.#others.get(key)
    if (known !== undefined && !isBroken) return known
    const context = chain.contextAfter(this.head)
    const seconds = 'seconds' in context.period ? context.period.seconds : 1
    const block = chain.build(this.head, {
      author: this.address,
      round,
      timestampSeconds: Math.max(
        this.head.timestampSeconds + seconds,
        Math.floor((timeline.nowMs + START_MS) / 1_000),
      ),
      nonce: random.uint32(),
      vote: null,
      isBroken,
    })
    if (!isBroken) this.#others.set(key, block)
    return block
  }

  /** The next round in which it is this validator's turn. */
  #nextOwnRound(from: number): number | undefined {
    const facts = this.#facts()
    for (let round = from; round < from + facts.validators.length; round++) {
      if (turnOf(facts, round) === this.address) return round
    }
    return undefined
  }

  #overheardChanges(round: number): Signed<RoundChangePayload>[] {
    const height = this.head.height + 1
    return this.#overheard.flatMap((message) =>
      message.kind === 'roundChange' &&
      message.signed.payload.height === height &&
      (message.signed.payload.round === round || this.world.random.chance(0.2))
        ? [message.signed]
        : [],
    )
  }

  #overheardPrepares(): Signed<PreparePayload>[] {
    const height = this.head.height + 1
    return this.#overheard.flatMap((message) =>
      message.kind === 'prepare' && message.signed.payload.height === height ? [message.signed] : [],
    )
  }

  #facts() {
    const { chain } = this.world
    const { protocol, keccak } = chain.settings
    const validators = chain.validatorsAfter(this.head)
    return { protocol, keccak, height: this.head.height + 1, validators, parentAuthor: this.head.coinbase }
  }

  #sign(draft: Draft): Signed<Payload> | Promise<Signed<Payload>> {
    return this.world.carrier.sign(draft, this.index)
  }

  #with(signed: Signed<Payload> | Promise<Signed<Payload>>, use: (signed: Signed<Payload>) => void): void {
    if (signed instanceof Promise) this.world.waitFor(signed.then(use))
    else use(signed)
  }

  #say(other: SimValidator, message: BftMessage): void {
    this.#count()
    this.sendTo(other, message)
  }

  #count(): void {
    this.acts++
  }
}

/** Follows the protocol with a signature log from a backup, so it may sign twice. */
export class ForgetfulValidator extends SimValidator {
  override get isHonest(): boolean {
    return false
  }

  override crash(): void {
    super.crash()
    this.disk.restoreBackup()
  }
}
