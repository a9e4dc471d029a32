/** One simulation: validators on virtual time, network and disk, with the faults of its seed. */
import type { BftRules } from '#consensus/bft/rules.ts'
import { createIbft2Rules } from '#consensus/ibft2/rules.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { Random } from '../support/random.ts'
import { ComposingAttacker, Conspiracy } from './attacker.ts'
import { ByzantineValidator, ForgetfulValidator } from './byzantine.ts'
import { type Carrier, DirectCarrier } from './carrier.ts'
import { Chaos, relink } from './chaos.ts'
import { createCodedCarrier, type Party, partiesOf, recoverOf } from './keys.ts'
import { Monitor } from './monitor.ts'
import { MutatingProposer } from './mutating-proposer.ts'
import { Network } from './network.ts'
import { decisiveCount, turnOf } from './oracle.ts'
import type { Plant } from './plants.ts'
import { RestoredValidator } from './restored.ts'
import { RuledChain } from './ruled-chain.ts'
import type { Scenario } from './scenario.ts'
import { type ChainSettings, type DecidedBlock, SimChain } from './sim-chain.ts'
import { SimValidator, type World } from './sim-validator.ts'
import { Timeline } from './timeline.ts'
import { drawLinks, type Links, TOPOLOGIES } from './topology.ts'

export interface Outcome {
  readonly heights: number
  readonly rounds: number
  readonly messages: number
  /** Bytes of consensus messages, if they are encoded. */
  readonly bytes: number
  readonly faults: number
  readonly violations: readonly string[]
  /** A hash of the decided blocks, which is the same for the same seed. */
  readonly fingerprint: string
}

/** The heights that every honest validator must gain after healing. */
const HEIGHTS_AFTER_HEALING = 3
/** Extra time for validators that have to catch up. */
const HEALING_SLACK_MS = 60_000
const ATTACKED_SLACK_MS = 20_000
const CHAOS_MAX_MS = 240_000
/** With composing attackers: how often trouble and healing alternate, and how long trouble lasts. */
const EPISODES = 2
const HEIGHTS_IN_TROUBLE = 6
const TROUBLE_MAX_MS = 60_000
/** With few links: heights after the links settled until evidence about the old links is corrected, and heights after that. */
const SETTLING_HEIGHTS = 4
const SETTLED_HEIGHTS = 3
/** A round may fail because relays waited; in later rounds none does. */
const HONEST_TURNS = 2
/** The time of safety checks alone, if honest validators are not connected with each other. */
const PARTED_MS = 20_000
/** Time for messages on the longest line, beyond the timeouts of rounds. */
const LINKED_SLACK_MS = 3_000
/** Draws of links that should connect the honest validators; few networks stay parted, where only safety counts. */
const LINK_DRAWS = 4
/** A simulation with more steps runs in circles. */
const MAX_STEPS = 6_000_000

export async function simulate(
  scenario: Scenario,
  random: Random,
  crypto: Crypto,
  plant?: Plant,
  /** Called after the heights that do not count. */
  onWarm?: () => void,
): Promise<Outcome> {
  const simulation = new Simulation(scenario, random, crypto, plant)
  return simulation.run(onWarm)
}

class Simulation implements World {
  readonly timeline = new Timeline()
  readonly random: Random
  readonly network: Network
  readonly chain: SimChain
  readonly monitor: Monitor
  readonly rules: BftRules
  readonly carrier: Carrier
  readonly isForwarded: boolean
  readonly isPatient: boolean
  readonly validators: SimValidator[] = []
  campaign: BftVote | null = null
  readonly #scenario: Scenario
  #chaos: Chaos
  readonly #conspiracy = new Conspiracy()
  #work: Promise<void> | undefined
  #steps = 0
  /** Counts of the first heights, during which validators learn who hears whom. */
  #uncounted = { messages: 0, bytes: 0, heights: 0 }
  /** The last height that the follower judged. */
  #followed = 0

  constructor(scenario: Scenario, random: Random, crypto: Crypto, plant: Plant | undefined) {
    const { protocol, size, spares, isWireSimulated } = scenario
    const parties = partiesOf(size + spares, isWireSimulated || scenario.mutated !== undefined)
    const addresses = parties.map(({ address }) => address)
    const { keccak } = crypto
    this.#scenario = scenario
    this.isForwarded = scenario.isForwarded
    this.isPatient = scenario.isPatient
    this.random = random
    this.carrier = isWireSimulated
      ? createCodedCarrier(protocol, parties, crypto)
      : new DirectCarrier(protocol, addresses)
    const settings: ChainSettings = {
      ...scenario,
      keccak,
      validators: addresses.slice(0, size),
      authorOfSeal: (seal, digest) => this.carrier.authorOfSeal(seal, digest),
      transition: transitionOf(scenario, addresses),
    }
    this.chain =
      scenario.mutated === undefined
        ? new SimChain(settings)
        : new RuledChain(settings, scenario.mutated, { ...crypto, recover: recoverOf(parties, this.carrier) })
    this.network = new Network(this.timeline, random, parties.length)
    this.monitor = new Monitor(this.chain)
    const options = { maxRoundTimeoutMs: scenario.maxRoundTimeoutMs, keccak }
    const rules = protocol === 'qbft' ? createQbftRules(options) : createIbft2Rules(options)
    const sealAuthor: BftRules['sealAuthor'] = ({ seal }, sealed) => this.carrier.authorOfSeal(seal, sealed)
    this.rules = { ...rules, sealAuthor, ...plant?.rules?.(rules) }
    this.#addValidators(parties, plant)
    for (const { index } of this.validators.slice(size - scenario.attackers, size))
      this.network.favoured.add(index)
    // Liars that are faster than others make them rely on their relays.
    const { isLinked, byzantine } = scenario
    if (isLinked && random.chance(0.5))
      for (const { index } of this.validators.slice(size - byzantine.length, size))
        this.network.favoured.add(index)
    this.#chaos = new Chaos(this, scenario)
  }

  rulesOf(index: number): BftRules {
    if (!this.#scenario.isMixed || this.#scenario.protocol === 'ibft2') return this.rules
    const { withRound } = this.rules
    const variants: readonly Partial<BftRules>[] = [
      {},
      { sentForm: (block, round) => withRound(block, round) },
      { sentForm: (block) => withRound(block, 0) },
    ]
    return { ...this.rules, ...variants[index % variants.length] }
  }

  follow(decided: DecidedBlock, wallMs: number): void {
    const { block, parent, height, seals } = decided
    const { chain } = this
    if (!(chain instanceof RuledChain) || block === undefined || parent === undefined) return
    if (this.#followed === height) return
    this.#followed = height
    const drift = chain.driftProblem(block.header)
    if (drift !== undefined) this.monitor.violate(`a follower sees that ${drift} (height ${height})`)
    this.waitFor(
      chain.judge(block, parent, wallMs, seals).then((problem) => {
        if (problem !== undefined) this.monitor.violate(`a follower refuses block ${height}. ${problem}`)
      }),
    )
  }

  voteOf(voter: Address): BftVote | null {
    return this.campaign?.recipient === voter ? null : this.campaign
  }

  waitFor(work: Promise<void>): void {
    this.#work = this.#work === undefined ? work : this.#work.then(() => work)
  }

  async run(onWarm?: () => void): Promise<Outcome> {
    if (this.#scenario.isLinked) this.network.links = this.#drawLinks()
    for (const validator of this.validators) validator.start()
    this.#chaos.begin()
    const { heights, chaosPeriodMs, attackers } = this.#scenario
    if (attackers > 0) {
      await this.#runEpisodes()
      return this.#outcome()
    }
    if (this.#scenario.isLinked) {
      await this.#runLinked()
      return this.#outcome()
    }
    if (this.#scenario.warmUpHeights > 0) {
      await this.#measure(onWarm)
      return this.#outcome()
    }
    const target = heights - HEIGHTS_AFTER_HEALING
    await this.#until(() => this.#highest() >= target || this.timeline.nowMs > CHAOS_MAX_MS)
    const isStill = chaosPeriodMs === 0 && this.#highest() < target
    if (isStill && this.monitor.violations.length === 0)
      this.monitor.violate('a calm network produced no blocks')
    this.#chaos.end()
    await this.#requireProgress()
    return this.#outcome()
  }

  /**
   * Trouble, healing, progress; again after all honest validators restarted from their files; and finally after the attackers
   * fell silent, since what they leave behind may do harm.
   */
  async #runEpisodes(): Promise<void> {
    for (let episode = 0; episode < EPISODES; episode++) {
      const [target, untilMs] = [this.#highest() + HEIGHTS_IN_TROUBLE, this.timeline.nowMs + TROUBLE_MAX_MS]
      await this.#until(() => this.#highest() >= target || this.timeline.nowMs > untilMs)
      this.#chaos.end()
      await this.#requireProgress('healing', 1)
      if (this.random.chance(0.5)) this.#restartHonest()
      if (episode === EPISODES - 1) this.#conspiracy.isOver = true
      await this.#requireProgress('starting again', 2)
      this.#chaos = new Chaos(this, this.#scenario)
      this.#chaos.begin()
    }
  }

  /** Nothing fails, and the first heights do not count. */
  async #measure(onWarm?: () => void): Promise<void> {
    const { warmUpHeights, heights } = this.#scenario
    await this.#reach(warmUpHeights)
    this.#uncounted = { messages: this.network.messages, bytes: this.carrier.bytes, heights: this.#highest() }
    onWarm?.()
    await this.#reach(warmUpHeights + heights)
  }

  async #reach(height: number): Promise<void> {
    await this.#until(() => this.#lowest() >= height || this.timeline.nowMs > CHAOS_MAX_MS)
    const isStill = this.#lowest() < height && this.monitor.violations.length === 0
    if (isStill) this.monitor.violate('a calm network produced no blocks')
  }

  /** Trouble with changing links, and then links that stay, over which every height must be decided in time. */
  async #runLinked(): Promise<void> {
    for (let episode = 0; episode < EPISODES; episode++) {
      const [target, untilMs] = [this.#highest() + HEIGHTS_IN_TROUBLE, this.timeline.nowMs + TROUBLE_MAX_MS]
      await this.#until(() => this.#highest() >= target || this.timeline.nowMs > untilMs)
      this.#chaos.end()
      if (this.random.chance(0.7)) relink(this, this.#drawLinks())
      if (this.network.links!.connect(this.#honest().map(({ index }) => index))) {
        await this.#requireProgress('settling', 1)
        for (let height = 0; height < SETTLING_HEIGHTS + SETTLED_HEIGHTS; height++) {
          if (!(await this.#requireHeight())) break
          if (height >= SETTLING_HEIGHTS) this.#requireFirstRound()
        }
      } else {
        const partedMs = this.timeline.nowMs + PARTED_MS
        await this.#until(() => this.timeline.nowMs > partedMs)
      }
      this.#chaos = new Chaos(this, this.#scenario)
      this.#chaos.begin()
    }
  }

  /** Usually links that connect the honest validators; liars relay what they like. */
  #drawLinks(): Links {
    const { size, byzantine } = this.#scenario
    const honest = Array.from({ length: size - byzantine.length }, (_, index) => index)
    const draw = () => drawLinks(this.random.pick(TOPOLOGIES), size, this.random)
    let links = draw()
    for (let draws = 0; draws < LINK_DRAWS && !links.connect(honest); draws++) links = draw()
    return links
  }

  /**
   * Every honest validator must have the next block after the turns of two honest proposers. Returns false if it is missing
   * because validators that abstained, together with the faulty ones, are more than the protocol tolerates.
   */
  async #requireHeight(): Promise<boolean> {
    const head = this.monitor.decided.get(this.#highest()) ?? this.chain.start
    const goal = this.#highest() + 1
    const isThere = () => this.#highest() >= goal && this.#lowest() >= goal
    const { requestTimeoutMs, periodSeconds } = this.#scenario
    const { validators } = this.chain.contextAfter(head)
    const honest = this.#honest().map(({ address }) => address)
    let deadlineMs = this.timeline.nowMs + periodSeconds * 1_000 + LINKED_SLACK_MS
    for (let [round, turns] = [0, 0]; turns < HONEST_TURNS; round++) {
      deadlineMs += this.rules.roundTimeoutMs(requestTimeoutMs, round)
      const facts = { ...this.chain.settings, height: goal, validators, parentAuthor: head.coinbase }
      if (honest.includes(turnOf(facts, round))) turns++
    }
    await this.#until(() => isThere() || this.timeline.nowMs > deadlineMs)
    if (isThere() || this.monitor.violations.length > 0) return true
    const abstained = this.monitor.abstained.get(goal)?.size ?? 0
    if (honest.length - abstained < decisiveCount(validators.length)) return false
    const heads = this.#honest().map((each) => each.head.height)
    this.monitor.violate(
      `height ${goal} was not decided in two turns of honest proposers: ${heads.join(' ')}`,
    )
    return true
  }

  /** Without liars, no relay is wrong about links that stay as they are, so nothing is late. */
  #requireFirstRound(): void {
    const height = this.#highest()
    const round = this.monitor.rounds.get(height) ?? 0
    const isStill = this.#scenario.byzantine.length === 0 && this.monitor.violations.length === 0
    if (isStill && round > 0) this.monitor.violate(`height ${height} took round ${round} without any faults`)
  }

  #restartHonest(): void {
    const honest = this.#honest().filter(({ isRunning }) => isRunning)
    for (const validator of honest) validator.stop()
    for (const validator of honest) validator.start()
  }

  async #requireProgress(after = 'healing', heights = HEIGHTS_AFTER_HEALING): Promise<void> {
    const { maxRoundTimeoutMs, byzantine, forgetful, attackers, requestTimeoutMs, mutated } = this.#scenario
    const mutating = mutated === undefined ? 0 : 1
    const goal = this.#highest() + heights
    const roundMs = Math.max(maxRoundTimeoutMs, requestTimeoutMs) + 2_000
    // Rule breakers can spoil the rounds of their turn, and rounds have to meet first.
    const rounds = heights * (byzantine.length + forgetful + attackers + mutating + 2) + 2
    const slackMs = attackers > 0 ? ATTACKED_SLACK_MS : HEALING_SLACK_MS
    const deadlineMs = this.timeline.nowMs + rounds * roundMs + slackMs
    const isThere = () => this.#highest() >= goal && this.#honest().every(({ head }) => head.height >= goal)
    await this.#until(() => isThere() || this.timeline.nowMs > deadlineMs)
    if (isThere() || this.monitor.violations.length > 0) return
    const heads = this.#honest().map(({ head }) => head.height)
    this.monitor.violate(`after ${after} the heads are ${heads.join(' ')}, and not all ${goal}`)
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone() && this.monitor.violations.length === 0) {
      if (this.#work !== undefined) {
        const work = this.#work
        this.#work = undefined
        await work
        continue
      }
      if (!this.timeline.step()) return this.monitor.violate('nothing is planned any more')
      if (++this.#steps > MAX_STEPS) return this.monitor.violate('the simulation runs in circles')
    }
  }

  #addValidators(parties: readonly Party[], plant: Plant | undefined): void {
    const { size, byzantine, forgetful, attackers, maxSkewMs, mutated } = this.#scenario
    // The last ones in the list, which is not the order of turns.
    const firstByzantine = size - byzantine.length
    const firstForgetful = firstByzantine - forgetful
    for (const [index, { address }] of parties.entries()) {
      const mischiefs = byzantine[index - firstByzantine]
      const isForgetful = index >= firstForgetful && index < firstByzantine
      const validator =
        index < size && index >= size - attackers
          ? new ComposingAttacker(this, index, address, this.#conspiracy)
          : mutated !== undefined && index === size - 1
            ? new MutatingProposer(this, index, address)
            : mischiefs !== undefined
              ? new ByzantineValidator(this, index, address, mischiefs)
              : new (isForgetful ? forgetfulKind(index) : SimValidator)(this, index, address)
      validator.skewMs = this.random.below(2 * maxSkewMs + 1) - maxSkewMs
      validator.disk.answersEarly = plant?.answersEarly ?? false
      validator.acceptsRefused = plant?.acceptsRefused ?? false
      validator.keepsTimers = plant?.keepsTimers ?? false
      validator.ignoresLoss = plant?.ignoresLoss ?? false
      validator.signsWithoutLog = plant?.signsWithoutLog ?? false
      validator.relaysNeverDue = plant?.relaysNeverDue ?? false
      validator.relaysAllWait = plant?.relaysAllWait ?? false
      this.validators.push(validator)
    }
  }

  #honest(): SimValidator[] {
    const active = this.chain.validatorsAfter(this.monitor.decided.get(this.#highest()) ?? this.chain.start)
    return this.validators.filter(({ isHonest, address }) => isHonest && active.includes(address))
  }

  /** The height that all honest validators have. */
  #lowest(): number {
    return Math.min(...this.#honest().map(({ head }) => head.height))
  }

  #highest(): number {
    return this.monitor.decided.size
  }

  #outcome(): Outcome {
    const { injected } = this.network
    const acts = this.validators.reduce((sum, each) => sum + ('acts' in each ? Number(each.acts) : 0), 0)
    const network = Object.values(injected).reduce((sum, count) => sum + count, 0)
    return {
      heights: this.#highest() - this.#uncounted.heights,
      rounds: this.validators.reduce((sum, { rounds }) => sum + rounds, 0),
      messages: this.network.messages - this.#uncounted.messages,
      bytes: this.carrier.bytes - this.#uncounted.bytes,
      faults: network + acts + this.#conspiracy.acts + this.#chaos.faults,
      violations: this.monitor.violations,
      fingerprint: this.monitor.decided.get(this.#highest())?.hash ?? '',
    }
  }
}

/** Half of them lose only the log, half the chain as well. */
function forgetfulKind(index: number) {
  return index % 2 === 0 ? ForgetfulValidator : RestoredValidator
}

function transitionOf(
  { size, transitionHeight, byzantine, forgetful }: Scenario,
  addresses: readonly Address[],
) {
  if (transitionHeight === undefined) return undefined
  // One leaves and a spare joins, so as many may fail as before.
  const validators = [...addresses.slice(1, size), addresses[size]!].sort()
  const faulty = byzantine.length + forgetful
  if (faulty > Math.floor((validators.length - 1) / 3)) return undefined
  return { height: transitionHeight, periodSeconds: 2, validators }
}
