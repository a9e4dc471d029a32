/** EIP-2124 and EIP-6122: which forks a node has passed, as a checksum that peers and tools compare. */
import { crc32 } from 'node:zlib'
import type { ForkSchedule } from '#types/genesis/fork-schedule.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'

const UINT64_BYTES = 8
const CHECKSUM_BYTES = 4

export interface ForkPosition {
  readonly number: bigint
  /** Seconds. */
  readonly timestamp: bigint
}

/** The checksum of block 0 and of every fork that was passed at a place; those that hold from block 0 on do not count. */
export function forkHash(
  genesisHash: Hash,
  genesisTimestamp: bigint,
  schedule: ForkSchedule,
  { number, timestamp }: ForkPosition,
): string {
  const passed = [
    ...passedForks(schedule, 'block', 0n, number),
    ...passedForks(schedule, 'time', genesisTimestamp, timestamp),
  ]
  let checksum = crc32(hashToBytes(genesisHash))
  for (const from of passed) {
    const bytes = Buffer.alloc(UINT64_BYTES)
    bytes.writeBigUInt64BE(from)
    checksum = crc32(bytes, checksum)
  }
  const bytes = Buffer.alloc(CHECKSUM_BYTES)
  bytes.writeUInt32BE(checksum)
  return formatData(bytes)
}

function passedForks(
  { forks, daoForkBlock }: ForkSchedule,
  trigger: 'block' | 'time',
  above: bigint,
  upTo: bigint,
): bigint[] {
  const values = forks.filter((fork) => fork.trigger === trigger).map(({ from }) => from)
  if (trigger === 'block' && daoForkBlock !== undefined) values.push(daoForkBlock)
  return [...new Set(values)].filter((from) => from > above && from <= upTo).sort((a, b) => (a < b ? -1 : 1))
}
