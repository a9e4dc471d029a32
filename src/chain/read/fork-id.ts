/** EIP-2124 and EIP-6122: a checksum of the forks that a node has passed, compared by peers and tools. */
import { crc32 } from 'node:zlib'
import type { ForkSchedule, ForkTrigger } from '#types/genesis/fork-schedule.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'

const UINT64_BYTES = 8
const CHECKSUM_BYTES = 4
/** A next fork above this is a time, not a block number: 15 July 2015, as in other clients. */
const LOWEST_TIME = 1_438_269_973n

export interface ForkPosition {
  readonly number: bigint
  readonly timestamp: bigint
}

/** The checksum of the passed forks, as data, and the position of the next fork, 0 if none is known. */
export interface ForkMark {
  readonly hash: string
  readonly next: bigint
}

interface CountedFork {
  readonly trigger: ForkTrigger
  readonly from: bigint
}

/** The forks of one network. Forks that hold from block 0 on do not count. */
export class ForkIds {
  readonly #forks: readonly CountedFork[]
  /** One more than there are forks; the first is the checksum with no fork passed. */
  readonly #checksums: readonly string[]

  constructor(genesisHash: Hash, genesisTimestamp: bigint, schedule: ForkSchedule) {
    this.#forks = [...forksOf(schedule, 'block', 0n), ...forksOf(schedule, 'time', genesisTimestamp)]
    let checksum = crc32(hashToBytes(genesisHash))
    this.#checksums = [
      formatChecksum(checksum),
      ...this.#forks.map(({ from }) => {
        const bytes = Buffer.alloc(UINT64_BYTES)
        bytes.writeBigUInt64BE(from)
        checksum = crc32(bytes, checksum)
        return formatChecksum(checksum)
      }),
    ]
  }

  at(position: ForkPosition): ForkMark {
    const passed = this.#passedAt(position)
    return { hash: this.#checksums[passed]!, next: this.#forks[passed]?.from ?? 0n }
  }

  /** Says why a node with this mark is on another network or outdated; undefined if it may be useful. */
  problem({ hash, next }: ForkMark, position: ForkPosition): string | undefined {
    // If no fork comes after block 0, the genesis hash decides alone, as in Besu.
    if (this.#forks.length === 0) return undefined
    const passed = this.#passedAt(position)
    const known = this.#checksums.indexOf(hash)
    if (known === -1) return `Its fork hash ${hash} does not belong to this network.`
    if (known === passed && this.#hasPassed(next, position)) {
      return `It knows a fork at ${next}, which this node has passed without it.`
    }
    if (known < passed && this.#forks[known]!.from !== next) {
      return `It does not know the fork at ${this.#forks[known]!.from}.`
    }
    return undefined
  }

  #passedAt({ number, timestamp }: ForkPosition): number {
    const ahead = this.#forks.findIndex(
      ({ trigger, from }) => (trigger === 'block' ? number : timestamp) < from,
    )
    return ahead === -1 ? this.#forks.length : ahead
  }

  #hasPassed(next: bigint, { number, timestamp }: ForkPosition): boolean {
    if (next === 0n) return false
    return next >= LOWEST_TIME ? timestamp >= next : number >= next
  }
}

function forksOf({ forks, daoForkBlock }: ForkSchedule, trigger: ForkTrigger, above: bigint): CountedFork[] {
  const values = forks.filter((fork) => fork.trigger === trigger).map(({ from }) => from)
  if (trigger === 'block' && daoForkBlock !== undefined) values.push(daoForkBlock)
  const counted = [...new Set(values)].filter((from) => from > above)
  return counted.sort((a, b) => (a < b ? -1 : 1)).map((from) => ({ trigger, from }))
}

function formatChecksum(checksum: number): string {
  const bytes = Buffer.alloc(CHECKSUM_BYTES)
  bytes.writeUInt32BE(checksum)
  return formatData(bytes)
}
