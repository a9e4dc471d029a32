/**
 * Validators that compose their attacks. Each runs the machine and has a plan for its own messages of each kind and for those
 * it relays: send, withhold, delay or change them, to all or to some. In addition, it sends at any moment anything that
 * attackers received, with anything changed. Plans come from the seed; a plan under which the chain stalls is kept.
 */
import type { BftMessage, Payload, ProposalPayload, ProposedBlock, Signed } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'
import { Random } from '../support/random.ts'
import { type Loot, mutate, type Reach } from './mutate.ts'
import { withFalseBody } from './sim-body.ts'
import { SimValidator, START_MS, type World } from './sim-validator.ts'

const MAX_OVERHEARD = 240
const MAX_BLOCKS = 24
const ACT_PERIOD_MS = 500
const PLAN_PERIOD_MS = 3_000
const MAX_HELD_BACK_MS = 6_000
const MAX_VALIDATORS = 16
/** Blocks are due every second; a slower one needed more than one round. */
const SLOW_BLOCK_MS = 2_500
const KINDS = ['proposal', 'prepare', 'commit', 'roundChange'] as const
const DEEDS = [
  'send',
  'send',
  'withhold',
  'some',
  'some',
  'change',
  'change',
  'change',
  'change',
  'changeForSome',
  'changeForSome',
  'holdBack',
  'twice',
] as const

type Deed = (typeof DEEDS)[number]
/** The deeds of an attacker that keeps secrets. */
const SECRET_DEEDS: readonly Deed[] = ['withhold', 'change', 'change']

/** What happens to messages of one kind. */
interface Habit {
  readonly deed: Deed
  /** The affected validators, by index. */
  readonly targets: readonly boolean[]
  /** The same change every time. */
  readonly recipe: number
}

type Habits = Readonly<Record<BftMessage['kind'], Habit>>

interface Plan {
  readonly own: Habits
  /** For messages of others that it relays. */
  readonly relays: Habits
  /**
   * It sends nothing else: what it alone has, such as prepares that others did not receive, it only sends changed as its habits
   * say.
   */
  readonly keepsSecrets: boolean
}

/** Shared by attackers: the messages that any of them received, and the names they sign with. */
export class Conspiracy {
  readonly addresses: Address[] = []
  readonly overheard: BftMessage[] = []
  blocks: readonly ProposedBlock[] = []
  /** They are silent from now on. */
  isOver = false
  acts = 0
  readonly #heard = new WeakSet<BftMessage>()

  /** Returns false if they received the message before. */
  hear(message: BftMessage): boolean {
    if (this.#heard.has(message)) return false
    this.#heard.add(message)
    this.overheard.push(message)
    if (this.overheard.length > MAX_OVERHEARD) this.overheard.shift()
    if ('block' in message && message.block !== undefined) this.know(message.block)
    return true
  }

  know(block: ProposedBlock): void {
    if (this.blocks.includes(block)) return
    this.blocks = [...this.blocks, block].slice(-MAX_BLOCKS)
  }
}

const STRANGER = `0x${'fe'.repeat(20)}` as Address

export class ComposingAttacker extends SimValidator {
  readonly #conspiracy: Conspiracy
  #plan: Plan

  constructor(world: World, index: number, address: Address, conspiracy: Conspiracy) {
    super(world, index, address)
    this.#conspiracy = conspiracy
    conspiracy.addresses.push(address)
    // The validator that asks for a round first is in every quorum for it.
    this.timerPace = world.random.pick([1, 0.7])
    this.#plan = this.#newPlan()
  }

  override get isHonest(): boolean {
    return false
  }

  protected override get passesOn(): boolean {
    return super.passesOn && !this.#plan.keepsSecrets
  }

  override start(): void {
    super.start()
    this.world.timeline.after(ACT_PERIOD_MS, () => this.#act())
    this.world.timeline.after(PLAN_PERIOD_MS, () => this.#replan(0, 0))
  }

  override receive(message: BftMessage, from: SimValidator): void {
    const isNew = this.#conspiracy.hear(message)
    super.receive(message, from)
    if (isNew && from.isHonest && this.#plan.relays[message.kind].deed === 'change')
      this.#passOnChanged(message)
  }

  protected override transmit(message: BftMessage, to: Address | undefined): void {
    if (this.#conspiracy.isOver) return
    this.#conspiracy.hear(message)
    const habit = this.#plan.own[message.kind]
    for (const other of this.validatorsOf(to)) this.#treat(message, other, habit)
  }

  #treat(message: BftMessage, other: SimValidator, { deed, targets, recipe }: Habit): void {
    const isTarget = targets[other.index] ?? false
    const changed = (): BftMessage => this.#changed(message, new Random(recipe, 0), 'anything')
    if (deed !== 'send') this.#conspiracy.acts++
    if (deed === 'send' || (deed === 'some' && isTarget)) this.sendTo(other, message)
    else if (deed === 'change' || (deed === 'changeForSome' && isTarget)) this.sendTo(other, changed())
    else if (deed === 'changeForSome') this.sendTo(other, message)
    else if (deed === 'twice') for (const each of [changed(), message]) this.sendTo(other, each)
    else if (deed === 'holdBack') {
      this.world.timeline.after(this.world.random.below(MAX_HELD_BACK_MS), () => this.#say(other, message))
    }
  }

  /** Changes unsigned parts in transit, before all receive the original. */
  #passOnChanged(message: BftMessage): void {
    const { recipe, targets } = this.#plan.relays[message.kind]
    const changed = this.#changed(message, new Random(recipe, 1), 'beside')
    if (changed === message) return
    // A message that returns is not changed again; otherwise others would relay each variant, without end.
    this.#conspiracy.hear(changed)
    for (const other of this.validatorsOf(undefined)) if (targets[other.index]) this.#say(other, changed)
  }

  #act(): void {
    const { random, timeline } = this.world
    if (this.#conspiracy.isOver) return
    const { overheard } = this.#conspiracy
    if (this.isRunning && overheard.length > 0 && !this.#plan.keepsSecrets) {
      const first = random.chance(0.6) ? this.#recent() : random.pick(overheard)
      let message = first
      for (let count = random.below(4); count > 0; count--)
        message = this.#changed(message, random, 'anything')
      for (const other of this.validatorsOf(undefined)) if (random.chance(0.6)) this.#say(other, message)
      if (random.chance(0.2)) this.#propose(this.#makeBlock())
    }
    timeline.after(random.below(2 * ACT_PERIOD_MS), () => this.#act())
  }

  #recent(): BftMessage {
    const { overheard } = this.#conspiracy
    return (
      overheard.findLast(({ signed }) => signed.payload.height === this.head.height + 1) ?? overheard.at(-1)!
    )
  }

  /** Keeps the plan while the chain is stalled; if it is slow, one more habit may be what is missing. */
  #replan(plannedAt: number, plannedMs: number): void {
    const { random, timeline } = this.world
    const { height } = this.head
    const isSlow = height - plannedAt < (timeline.nowMs - plannedMs) / SLOW_BLOCK_MS
    if (height > plannedAt) this.#plan = this.#changedPlan(isSlow)
    const { nowMs } = timeline
    timeline.after(random.below(2 * PLAN_PERIOD_MS), () => this.#replan(height, nowMs))
  }

  #changedPlan(isPromising: boolean): Plan {
    const { random } = this.world
    if (!isPromising && random.chance(0.5)) return this.#newPlan()
    const plan = this.#plan
    const kind = random.pick(KINDS)
    return random.chance(0.4)
      ? { ...plan, relays: { ...plan.relays, [kind]: this.#newHabit(DEEDS) } }
      : { ...plan, own: { ...plan.own, [kind]: this.#newHabit(ownDeeds(plan)) } }
  }

  #newPlan(): Plan {
    const keepsSecrets = this.world.random.chance(0.4)
    return {
      own: this.#newHabits(ownDeeds({ keepsSecrets })),
      relays: this.#newHabits(DEEDS),
      keepsSecrets,
    }
  }

  #newHabits(deeds: readonly Deed[]): Habits {
    return Object.fromEntries(KINDS.map((kind) => [kind, this.#newHabit(deeds)])) as unknown as Habits
  }

  #newHabit(deeds: readonly Deed[]): Habit {
    const { random } = this.world
    const targets = Array.from({ length: MAX_VALIDATORS }, () => random.chance(0.5))
    return { deed: random.pick(deeds), targets, recipe: random.uint32() }
  }

  /** An unsolicited block of its own, valid or not. */
  #makeBlock(): ProposedBlock {
    const { chain, random, timeline } = this.world
    const { period } = chain.contextAfter(this.head)
    const earliest = this.head.timestampSeconds + ('seconds' in period ? period.seconds : 1)
    const block = chain.build(this.head, {
      author: this.address,
      round: random.below(3),
      timestampSeconds: Math.max(earliest, Math.floor((timeline.nowMs + START_MS) / 1_000)),
      nonce: random.uint32(),
      vote: null,
      isBroken: random.chance(0.3),
    })
    this.#conspiracy.know(block)
    return block
  }

  /** Proposes out of turn, justified by the messages received for the round. */
  #propose(block: ProposedBlock): void {
    const { carrier, rules, random } = this.world
    const { height, messages } = this.#loot()
    const round = random.pick([0, 0, 1, 2])
    const proposed = rules.withRound(block, round)
    const roundChanges = messages.flatMap((message) =>
      message.kind === 'roundChange' && message.signed.payload.round === round ? [message.signed] : [],
    )
    const message: BftMessage = {
      kind: 'proposal',
      signed: carrier.signAs(
        { kind: 'proposal', height, round, digest: proposed.digest },
        this.address,
      ) as Signed<ProposalPayload>,
      block: proposed,
      roundChanges,
      prepares: [],
      generation: carrier.generationOf(this.index),
    }
    for (const other of this.validatorsOf(undefined)) if (random.chance(0.8)) this.#say(other, message)
  }

  #changed(message: BftMessage, random: Random, reach: Reach): BftMessage {
    const changed = mutate(message, this.#loot(), random, reach)
    return 'block' in changed && changed.kind === 'proposal' && changed.block === undefined
      ? message
      : changed
  }

  #loot(): Loot {
    const { overheard, blocks, addresses } = this.#conspiracy
    const { chain, rules, carrier } = this.world
    const { protocol, keccak } = chain.settings
    const height = this.head.height + 1
    const recent = overheard.filter(({ signed }) => signed.payload.height === height)
    return {
      protocol,
      height,
      round: Math.max(0, ...recent.map(({ signed }) => Math.min(signed.payload.round, 50))),
      messages: recent,
      blocks: blocks.filter(({ header }) => header.number === BigInt(height)),
      seals: recent.flatMap((message) => (message.kind === 'commit' ? [message.signed.payload.seal] : [])),
      sign: (payload, random): Signed<Payload> => {
        // Mostly its own name, since it may be its turn.
        const author = random.chance(0.7) ? this.address : random.pick([...addresses, STRANGER])
        return carrier.signAs(payload, author)
      },
      falseBody: (block, variant) => withFalseBody(block, variant, keccak),
      withRound: (block, round) => rules.withRound(block, round),
    }
  }

  #say(other: SimValidator, message: BftMessage): void {
    if (this.#conspiracy.isOver || !this.isRunning) return
    this.#conspiracy.acts++
    this.sendTo(other, message)
  }
}

function ownDeeds({ keepsSecrets }: Pick<Plan, 'keepsSecrets'>): readonly Deed[] {
  return keepsSecrets ? SECRET_DEEDS : DEEDS
}
