/** The simulation that a seed determines: number of validators, faults, and rule breakers. */
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { type BlockNetwork, NETWORKS } from '../adversarial/block-mutator/networks.ts'
import type { Random } from '../support/random.ts'
import { MISCHIEFS, type Mischief, RELAY_LIES } from './byzantine.ts'
import { CALM, type NetworkFaults } from './network.ts'

export const SIZES = [1, 2, 3, 4, 5, 7, 10, 13] as const
/** Sizes at which one may fail; with four, the least is needed for harm. */
export const ATTACK_SIZES = [4, 4, 4, 7, 4, 5, 4, 10] as const

/** At first every validator relays every message: a hundred of them relay two million copies. */
const WARM_UP_HEIGHTS = 8
/** Sizes of networks in which validators have few links. */
export const LINKED_SIZES = [4, 5, 7, 10, 13] as const

export interface Scenario {
  readonly size: number
  /** Run next to the validators, and may be voted in. */
  readonly spares: number
  readonly protocol: BftProtocol
  readonly requestTimeoutMs: number
  readonly periodSeconds: number
  readonly emptyBlockPeriodSeconds: number
  readonly maxRoundTimeoutMs: number
  readonly byzantine: readonly (readonly Mischief[])[]
  /** Number of composing attackers; the seed decides their deeds on the way. */
  readonly attackers: number
  /** Of the validators that may fail, those that return with an old signature log. */
  readonly forgetful: number
  readonly transitionHeight: number | undefined
  readonly isWireSimulated: boolean
  /** A real network whose rules judge the blocks, with a validator that mutates them; undefined if blocks are abstract. */
  readonly mutated: BlockNetwork | undefined
  /** QBFT: whether some validators send blocks in Besu's form, some in GoQuorum's, and some adapt. */
  readonly isMixed: boolean
  /** Whether validators relay messages, so those that cannot reach each other also agree. */
  readonly isForwarded: boolean
  /** Whether messages are relayed as a node does it (ADR 76), or all at once. */
  readonly isPatient: boolean
  /** Whether validators have few links, which change. */
  readonly isLinked: boolean
  /** Heights whose messages and bytes are not counted. */
  readonly warmUpHeights: number
  readonly maxSkewMs: number
  readonly storm: NetworkFaults
  /** How often faults change; 0 for no faults at all. */
  readonly chaosPeriodMs: number
  readonly heights: number
}

export function scenarioOf(random: Random, size: number, heights: number): Scenario {
  const tolerated = Math.floor((size - 1) / 3)
  const faulty = random.below(tolerated + 1)
  const forgetful = random.below(faulty + 1)
  const protocol = random.pick(['qbft', 'ibft2'] as const)
  return {
    size,
    spares: size >= 4 ? 1 : 0,
    protocol,
    requestTimeoutMs: protocol === 'qbft' ? 1_000 + random.below(3_000) : 3_000 + random.below(2_000),
    periodSeconds: 1,
    emptyBlockPeriodSeconds: protocol === 'qbft' && random.chance(0.15) ? 2 : 0,
    maxRoundTimeoutMs: 8_000,
    attackers: 0,
    byzantine: Array.from({ length: faulty - forgetful }, () => mischiefsOf(random)),
    forgetful,
    transitionHeight: size >= 4 && random.chance(0.3) ? 2 + random.below(heights) : undefined,
    isWireSimulated: false,
    mutated: undefined,
    isMixed: false,
    isForwarded: true,
    isPatient: false,
    isLinked: false,
    warmUpHeights: 0,
    maxSkewMs: random.pick([0, 200, 450]),
    storm: {
      loss: random.pick([0, 0.02, 0.1, 0.3]),
      commitLoss: random.pick([0, 0, 0.9]),
      prepareLoss: 0,
      duplication: random.pick([0, 0.1, 0.5]),
      minMs: 1,
      maxMs: random.pick([20, 200, 1_000]),
      straggling: random.pick([0, 0.05, 0.2]),
      stragglerMs: 8_000,
    },
    chaosPeriodMs: random.chance(0.1) ? 0 : 500 + random.below(3_000),
    heights,
  }
}

/** As many attackers as may fail, in a network with faults. */
export function attackScenarioOf(random: Random, size: number, heights: number): Scenario {
  const attackers = 1 + random.below(Math.floor((size - 1) / 3))
  const scenario = scenarioOf(random, size, heights)
  return {
    ...scenario,
    // A working network leaves all the harm to them.
    chaosPeriodMs: random.chance(0.2) ? 0 : scenario.chaosPeriodMs,
    byzantine: [],
    forgetful: 0,
    attackers,
    storm: {
      ...scenario.storm,
      commitLoss: random.pick([0, 0.5, 0.9]),
      prepareLoss: random.pick([0, 0.5, 0.9]),
    },
    transitionHeight: undefined,
    isForwarded: random.chance(0.6),
  }
}

/** As many as may fail return with an older data directory, or none. */
export function restoredScenarioOf(random: Random, size: number, heights: number): Scenario {
  const scenario = scenarioOf(random, size, heights)
  return { ...scenario, byzantine: [], forgetful: Math.floor((size - 1) / 3), transitionHeight: undefined }
}

/** One of four mutates its proposed blocks, on a network of any fork. */
export function mutatedScenarioOf(random: Random, heights: number): Scenario {
  const size = 4
  const network = random.pick(NETWORKS)
  const scenario = scenarioOf(random, size, heights)
  return {
    ...scenario,
    protocol: network.protocol,
    mutated: network,
    spares: 0,
    byzantine: [],
    forgetful: 0,
    transitionHeight: undefined,
    emptyBlockPeriodSeconds: 0,
    // The network works most of the time: the blocks do the harm.
    chaosPeriodMs: random.chance(0.7) ? 0 : scenario.chaosPeriodMs,
  }
}

/**
 * Few links, which change with other faults, and up to f validators that lie with copies, withhold relays, or break other rules.
 * A round lasts long enough for a message to pass along a line, but not if every relay on it waits.
 */
export function linkedScenarioOf(random: Random, size: number, heights: number): Scenario {
  const scenario = scenarioOf(random, size, heights)
  const faulty = random.below(Math.floor((size - 1) / 3) + 1)
  return {
    ...scenario,
    isPatient: true,
    isLinked: true,
    spares: 0,
    forgetful: 0,
    transitionHeight: undefined,
    emptyBlockPeriodSeconds: 0,
    requestTimeoutMs: 4_000 + random.below(3_000),
    maxRoundTimeoutMs: 60_000,
    maxSkewMs: random.pick([0, 200]),
    byzantine: Array.from({ length: faulty }, () => [
      ...(random.chance(0.4) ? mischiefsOf(random) : []),
      random.pick(RELAY_LIES),
      random.pick(RELAY_LIES),
    ]),
  }
}

/** No faults at all, for measurements. */
export function calmScenario(size: number, heights: number, protocol: BftProtocol): Scenario {
  return {
    size,
    spares: 0,
    protocol,
    requestTimeoutMs: 4_000,
    periodSeconds: 1,
    emptyBlockPeriodSeconds: 0,
    maxRoundTimeoutMs: 60_000,
    byzantine: [],
    attackers: 0,
    forgetful: 0,
    transitionHeight: undefined,
    isWireSimulated: false,
    mutated: undefined,
    isMixed: false,
    isForwarded: true,
    isPatient: true,
    isLinked: false,
    warmUpHeights: WARM_UP_HEIGHTS,
    maxSkewMs: 0,
    storm: CALM,
    chaosPeriodMs: 0,
    heights,
  }
}

function mischiefsOf(random: Random): Mischief[] {
  const chosen = new Set<Mischief>()
  for (let count = 1 + random.below(3); count > 0; count--) chosen.add(random.pick(MISCHIEFS))
  return [...chosen]
}
