import { assert } from '#types/assert.ts'
import type { OptionalHeaderField } from '#types/block/block-header.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'

/** The activation of a fork: a block number, or a time in seconds. */
export type ForkTrigger = 'block' | 'time'

export interface BlobParameters {
  readonly target: number
  readonly max: number
  readonly baseFeeUpdateFraction: number
}

interface ForkRow {
  readonly name: string
  readonly trigger: ForkTrigger
  /** Key in the `config` section of a genesis file; frontier has none. */
  readonly key: string
  /**
   * Whether code behaves differently; `changes in js` if revm does not know the fork. Absent if no engine implements
   * it.
   */
  readonly code?: 'changes' | 'changes in js' | 'stays'
  /** The last of the precompiled contracts at 1, 2, 3 ..., if the fork adds some. */
  readonly lastPrecompile?: number
  /** The transaction type that it adds. */
  readonly transactionType?: TransactionType
  /** The header fields that it appends. */
  readonly headerFields?: readonly OptionalHeaderField[]
  /** Blob parameters unless the genesis file sets others; `as before` if only the file may set them. */
  readonly blobs?: BlobParameters | 'as before'
}

/**
 * Every fork in order of appearance: a rule set contains the rules of all forks above it. A row holds everything that
 * tables say of a fork.
 */
const FORK_ROWS = [
  { name: 'frontier', trigger: 'block', key: '', code: 'changes', lastPrecompile: 0x04, transactionType: 0 },
  { name: 'homestead', trigger: 'block', key: 'homesteadBlock', code: 'changes' },
  { name: 'tangerineWhistle', trigger: 'block', key: 'eip150Block', code: 'changes' },
  { name: 'spuriousDragon', trigger: 'block', key: 'eip158Block', code: 'changes' },
  { name: 'byzantium', trigger: 'block', key: 'byzantiumBlock', code: 'changes', lastPrecompile: 0x08 },
  { name: 'constantinople', trigger: 'block', key: 'constantinopleBlock', code: 'changes in js' },
  { name: 'petersburg', trigger: 'block', key: 'petersburgBlock', code: 'changes' },
  { name: 'istanbul', trigger: 'block', key: 'istanbulBlock', code: 'changes', lastPrecompile: 0x09 },
  { name: 'muirGlacier', trigger: 'block', key: 'muirGlacierBlock', code: 'stays' },
  { name: 'berlin', trigger: 'block', key: 'berlinBlock', code: 'changes', transactionType: 1 },
  {
    name: 'london',
    trigger: 'block',
    key: 'londonBlock',
    code: 'changes',
    transactionType: 2,
    headerFields: ['baseFeePerGas'],
  },
  { name: 'arrowGlacier', trigger: 'block', key: 'arrowGlacierBlock', code: 'stays' },
  { name: 'grayGlacier', trigger: 'block', key: 'grayGlacierBlock', code: 'stays' },
  { name: 'paris', trigger: 'block', key: 'mergeNetSplitBlock', code: 'changes' },
  {
    name: 'shanghai',
    trigger: 'time',
    key: 'shanghaiTime',
    code: 'changes',
    headerFields: ['withdrawalsRoot'],
  },
  {
    name: 'cancun',
    trigger: 'time',
    key: 'cancunTime',
    code: 'changes',
    lastPrecompile: 0x0a,
    transactionType: 3,
    headerFields: ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
    blobs: { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 },
  },
  {
    name: 'prague',
    trigger: 'time',
    key: 'pragueTime',
    code: 'changes',
    lastPrecompile: 0x11,
    transactionType: 4,
    headerFields: ['requestsHash'],
    blobs: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
  },
  { name: 'osaka', trigger: 'time', key: 'osakaTime', code: 'changes' },
  { name: 'bpo1', trigger: 'time', key: 'bpo1Time', code: 'stays', blobs: 'as before' },
  { name: 'bpo2', trigger: 'time', key: 'bpo2Time', code: 'stays', blobs: 'as before' },
  { name: 'bpo3', trigger: 'time', key: 'bpo3Time', code: 'stays', blobs: 'as before' },
  { name: 'bpo4', trigger: 'time', key: 'bpo4Time', code: 'stays', blobs: 'as before' },
  { name: 'bpo5', trigger: 'time', key: 'bpo5Time', code: 'stays', blobs: 'as before' },
  {
    name: 'amsterdam',
    trigger: 'time',
    key: 'amsterdamTime',
    headerFields: ['blockAccessListHash', 'slotNumber'],
  },
  { name: 'futureEips', trigger: 'time', key: 'futureEipsTime' },
  { name: 'experimentalEips', trigger: 'time', key: 'experimentalEipsTime' },
] as const satisfies readonly ForkRow[]

export type ForkName = (typeof FORK_ROWS)[number]['name']

/** The rows with optional properties, for lookups of properties that only some forks have. */
export const FORKS: readonly (ForkRow & { readonly name: ForkName })[] = FORK_ROWS

/** The fork that added each transaction type, by type. */
export const FIRST_FORKS: readonly ForkName[] = FORKS.filter(
  ({ transactionType }) => transactionType !== undefined,
).map(({ name }) => name)

export const FORK_NAMES: readonly ForkName[] = FORK_ROWS.map((row) => row.name)

const ORDER: Readonly<Record<string, number>> = Object.fromEntries(
  FORK_NAMES.map((name, index) => [name, index]),
)

/** Whether `ruleSet` contains the rules of `fork`. */
export function includesFork(ruleSet: ForkName, fork: ForkName): boolean {
  return ORDER[ruleSet]! >= ORDER[fork]!
}

/** Forks that a genesis file can schedule. */
export const SCHEDULABLE_FORKS = FORK_ROWS.slice(1)

export interface Fork {
  readonly name: ForkName
  readonly trigger: ForkTrigger
  /** Block number or time in seconds, by `trigger`. */
  readonly from: bigint
}

/** Two adjacent forks, the later one scheduled first. */
export interface ForkDisorder {
  readonly fork: Fork
  readonly previous: Fork
}

const FRONTIER: Fork = { name: 'frontier', trigger: 'block', from: 0n }

export class ForkSchedule {
  /** Frontier and the scheduled forks, in order of appearance. */
  readonly forks: readonly Fork[]
  /** The block of the DAO state change, which is a single event without a rule set. */
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
    // Besu keys its milestones by value, blocks and times together: the last fork at a value replaces the others
    // there, of either kind.
    const byValue = new Map(this.forks.map((fork) => [fork.from, fork]))
    this.#milestones = [...byValue.values()].sort((a, b) => (a.from < b.from ? 1 : -1))
  }

  /** The fork whose rules apply to a block: the highest milestone that its number or time has reached. */
  ruleSetAt(number: bigint, timestamp: bigint): Fork {
    for (const fork of this.#milestones) {
      if ((fork.trigger === 'block' ? number : timestamp) >= fork.from) return fork
    }
    const lowest = this.#milestones.at(-1)
    assert(lowest !== undefined, 'a fork schedule begins with frontier')
    return lowest
  }

  /** Whether the rules of `name` apply to a block. */
  includes(name: ForkName, number: bigint, timestamp: bigint): boolean {
    return includesFork(this.ruleSetAt(number, timestamp).name, name)
  }

  scheduledFrom(name: ForkName): bigint | undefined {
    return this.forks.find((fork) => fork.name === name)?.from
  }

  /**
   * Forks scheduled before their predecessor, comparing block numbers and times with each other as Besu does. Each
   * fork is compared with its neighbour, so one wrong value is one disorder.
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
