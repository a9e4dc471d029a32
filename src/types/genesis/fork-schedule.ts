import { assert } from '#types/assert.ts'

/** What makes a fork take effect: the number of a block, or its time in seconds. */
export type ForkTrigger = 'block' | 'time'

interface ForkRow {
  readonly name: string
  readonly trigger: ForkTrigger
  /** Key in the `config` section of a genesis file; frontier has none. */
  readonly key: string
}

/** Every fork in order of appearance: a rule set contains the rules of all forks above it. */
const FORK_ROWS = [
  { name: 'frontier', trigger: 'block', key: '' },
  { name: 'homestead', trigger: 'block', key: 'homesteadBlock' },
  { name: 'tangerineWhistle', trigger: 'block', key: 'eip150Block' },
  { name: 'spuriousDragon', trigger: 'block', key: 'eip158Block' },
  { name: 'byzantium', trigger: 'block', key: 'byzantiumBlock' },
  { name: 'constantinople', trigger: 'block', key: 'constantinopleBlock' },
  { name: 'petersburg', trigger: 'block', key: 'petersburgBlock' },
  { name: 'istanbul', trigger: 'block', key: 'istanbulBlock' },
  { name: 'muirGlacier', trigger: 'block', key: 'muirGlacierBlock' },
  { name: 'berlin', trigger: 'block', key: 'berlinBlock' },
  { name: 'london', trigger: 'block', key: 'londonBlock' },
  { name: 'arrowGlacier', trigger: 'block', key: 'arrowGlacierBlock' },
  { name: 'grayGlacier', trigger: 'block', key: 'grayGlacierBlock' },
  { name: 'paris', trigger: 'block', key: 'mergeNetSplitBlock' },
  { name: 'shanghai', trigger: 'time', key: 'shanghaiTime' },
  { name: 'cancun', trigger: 'time', key: 'cancunTime' },
  { name: 'prague', trigger: 'time', key: 'pragueTime' },
  { name: 'osaka', trigger: 'time', key: 'osakaTime' },
  { name: 'bpo1', trigger: 'time', key: 'bpo1Time' },
  { name: 'bpo2', trigger: 'time', key: 'bpo2Time' },
  { name: 'bpo3', trigger: 'time', key: 'bpo3Time' },
  { name: 'bpo4', trigger: 'time', key: 'bpo4Time' },
  { name: 'bpo5', trigger: 'time', key: 'bpo5Time' },
  { name: 'amsterdam', trigger: 'time', key: 'amsterdamTime' },
  { name: 'futureEips', trigger: 'time', key: 'futureEipsTime' },
  { name: 'experimentalEips', trigger: 'time', key: 'experimentalEipsTime' },
] as const satisfies readonly ForkRow[]

export type ForkName = (typeof FORK_ROWS)[number]['name']

export const FORK_NAMES: readonly ForkName[] = FORK_ROWS.map((row) => row.name)

const ORDER: Readonly<Record<string, number>> = Object.fromEntries(
  FORK_NAMES.map((name, index) => [name, index]),
)

/** Whether the rule set of `ruleSet` contains the rules of `fork`. */
export function includesFork(ruleSet: ForkName, fork: ForkName): boolean {
  return ORDER[ruleSet]! >= ORDER[fork]!
}

/** The forks that a genesis file can schedule. */
export const SCHEDULABLE_FORKS = FORK_ROWS.slice(1)

export interface Fork {
  readonly name: ForkName
  readonly trigger: ForkTrigger
  /** Block number or time in seconds, by `trigger`. */
  readonly from: bigint
}

/** Two neighbouring forks of which the later one is scheduled first. */
export interface ForkDisorder {
  readonly fork: Fork
  readonly previous: Fork
}

const FRONTIER: Fork = { name: 'frontier', trigger: 'block', from: 0n }

export class ForkSchedule {
  /** Frontier and the scheduled forks, in order of appearance. */
  readonly forks: readonly Fork[]
  /** The block of the DAO state change, which is an event on its own and no rule set. */
  readonly daoForkBlock: bigint | undefined
  /** One fork per value, highest value first. */
  readonly #milestones: readonly Fork[]

  constructor(from: Partial<Record<ForkName, bigint>>, daoForkBlock?: bigint) {
    const scheduled = SCHEDULABLE_FORKS.flatMap(({ name, trigger }): Fork[] => {
      const value = from[name]
      return value === undefined ? [] : [{ name, trigger, from: value }]
    })
    this.forks = [FRONTIER, ...scheduled]
    this.daoForkBlock = daoForkBlock
    // Besu keys its milestones by value, blocks and times together: the last fork at a value
    // takes the place of the others there, whichever kind they are.
    const byValue = new Map(this.forks.map((fork) => [fork.from, fork]))
    this.#milestones = [...byValue.values()].sort((a, b) => (a.from < b.from ? 1 : -1))
  }

  /** The fork whose rules hold for a block: the highest milestone that its number or time has reached. */
  ruleSetAt(number: bigint, timestamp: bigint): Fork {
    for (const fork of this.#milestones) {
      if ((fork.trigger === 'block' ? number : timestamp) >= fork.from) return fork
    }
    const lowest = this.#milestones.at(-1)
    assert(lowest !== undefined, 'a fork schedule begins with frontier')
    return lowest
  }

  /** Every fork whose rules are part of the rule set of a block, those the file does not name included. */
  forksAt(number: bigint, timestamp: bigint): readonly ForkName[] {
    return FORK_NAMES.slice(0, FORK_NAMES.indexOf(this.ruleSetAt(number, timestamp).name) + 1)
  }

  /** Whether the rules of `name` hold for a block. */
  includes(name: ForkName, number: bigint, timestamp: bigint): boolean {
    return includesFork(this.ruleSetAt(number, timestamp).name, name)
  }

  scheduledFrom(name: ForkName): bigint | undefined {
    return this.forks.find((fork) => fork.name === name)?.from
  }

  /**
   * Forks scheduled before the one they follow, block numbers and times compared with each other as
   * Besu does. Each fork is compared with its neighbour, so that one wrong value is one disorder.
   */
  findDisorders(): ForkDisorder[] {
    return this.forks.flatMap((fork, index) => {
      const previous = this.forks[index - 1]
      return previous !== undefined && fork.from < previous.from ? [{ fork, previous }] : []
    })
  }
}

/** Besu's words, without its 'Genesis Config Error: '. */
export function formatForkDisorder({ fork, previous }: ForkDisorder): string {
  const label = fork.name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  return `'${label}' is scheduled for milestone ${fork.from} but it must be on or after milestone ${previous.from}.`
}
