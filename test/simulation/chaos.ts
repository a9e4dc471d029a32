/** The faults and their times: storms, partitions, crashes, slow machines, validators voted in and out. */
import type { BftVote } from '#types/block/bft-extra-data.ts'
import { CALM } from './network.ts'
import type { Scenario } from './scenario.ts'
import type { SimValidator, World } from './sim-validator.ts'
import { changeLink, drawLinks, type Links, TOPOLOGIES } from './topology.ts'

export interface ChaoticWorld extends World {
  campaign: BftVote | null
}

const SLOW = { buildMs: 6_000, validateMs: 6_000, importMs: 500, never: 0.2 } as const
const ORDINARY = { buildMs: 20, validateMs: 20, importMs: 10, never: 0 } as const
const SLOW_DISK = { minMs: 10, maxMs: 1_500 } as const
const ORDINARY_DISK = { minMs: 0, maxMs: 5 } as const
const MAX_DOWN_MS = 12_000

export class Chaos {
  faults = 0
  readonly #world: ChaoticWorld
  readonly #scenario: Scenario
  #isOver = false

  constructor(world: ChaoticWorld, scenario: Scenario) {
    this.#world = world
    this.#scenario = scenario
  }

  begin(): void {
    if (this.#scenario.chaosPeriodMs > 0) this.#planNext()
  }

  /** Heals everything except for validators that break the rules on purpose. */
  end(): void {
    const { network, validators } = this.#world
    this.#isOver = true
    network.heal()
    this.#world.campaign = null
    for (const validator of validators) {
      validator.speed = ORDINARY
      validator.disk.speed = ORDINARY_DISK
      if (!validator.isRunning) validator.start()
    }
    this.#reconnectAll()
  }

  #planNext(): void {
    const { timeline, random } = this.#world
    timeline.after(random.below(2 * this.#scenario.chaosPeriodMs), () => {
      if (this.#isOver) return
      this.#change()
      this.#planNext()
    })
  }

  #change(): void {
    const { random, validators } = this.#world
    this.faults++
    if (this.#world.network.links !== undefined && random.chance(0.4)) {
      this.#changeLinks(this.#world.network.links)
      return
    }
    const validator = random.pick(validators)
    const changes = [
      () => (this.#scenario.attackers > 0 && random.chance(0.7) ? this.#deafen() : this.#storm()),
      () => this.#part(),
      () => this.#part(),
      () => this.#heal(),
      () => this.#crash(validator),
      () => this.#crash(validator),
      () => this.#slowDown(validator),
      () => this.#callForVotes(),
    ]
    random.pick(changes)()
  }

  #changeLinks(links: Links): void {
    const { random, validators } = this.#world
    const { length } = validators
    const isSlight = random.chance(0.7)
    relink(
      this.#world,
      isSlight ? changeLink(links, length, random) : drawLinks(random.pick(TOPOLOGIES), length, random),
    )
  }

  #storm(): void {
    const { network, random } = this.#world
    network.faults = random.chance(0.5) ? this.#scenario.storm : CALM
  }

  /** Delivers everything except for messages of one kind, which only attackers receive, so they alone hold the proof. */
  #deafen(): void {
    const { network, random } = this.#world
    network.faults = random.chance(0.7) ? { ...CALM, prepareLoss: 1 } : { ...CALM, commitLoss: 1 }
  }

  #heal(): void {
    this.#world.network.heal()
    this.#reconnectAll()
  }

  #slowDown(validator: SimValidator): void {
    const { random } = this.#world
    validator.speed = random.chance(0.5) ? SLOW : ORDINARY
    validator.disk.speed = random.chance(0.3) ? SLOW_DISK : ORDINARY_DISK
  }

  #part(): void {
    const { random, network, validators } = this.#world
    const side = new Set(validators.filter(() => random.chance(0.5)).map(({ index }) => index))
    network.part(side, random.chance(0.3))
  }

  #crash(validator: SimValidator): void {
    if (!validator.isRunning) return
    const { timeline, random, validators } = this.#world
    validator.crash()
    timeline.after(random.below(MAX_DOWN_MS), () => {
      if (validator.isRunning) return
      validator.start()
      for (const other of validators) if (other !== validator) other.onReconnected(validator.address)
    })
  }

  /** A spare validator joins or leaves; there are never fewer validators than at start. */
  #callForVotes(): void {
    const { random, validators, chain } = this.#world
    const { size, spares } = this.#scenario
    if (spares === 0 || chain.settings.transition !== undefined) return
    const spare = validators[size + random.below(spares)]!
    this.#world.campaign = { recipient: spare.address, type: random.chance(0.6) ? 'add' : 'drop' }
  }

  #reconnectAll(): void {
    const { validators } = this.#world
    for (const one of validators)
      for (const other of validators) if (one !== other) one.onReconnected(other.address)
  }
}

/** Validators that were not connected greet each other. */
export function relink({ network, validators }: World, links: Links): void {
  const before = network.links
  network.links = links
  for (const one of validators) {
    for (const other of validators) {
      const isNew = links.has(one.index, other.index) && before?.has(one.index, other.index) !== true
      if (isNew) one.onLinked(other)
    }
  }
}
