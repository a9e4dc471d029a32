/**
 * Verifies the blocks of a segment: their hashes, their links, their contents against the roots of their headers, and the
 * indexes against all of them. Checksums only show that a file is as it was written.
 */

import { decodeStoredReceipts } from '#chain/block/stored-receipts.ts'
import { indexedBlock } from '#chain/write/indexed-block.ts'
import type { Sliced } from '#platform/next-turn.ts'
import type { SegmentLinks } from '#store/segments/inspect-segments.ts'
import type { Segment } from '#store/segments/segment.ts'
import { SegmentIndexes } from '#store/segments/segment-indexes.ts'
import { damagedSegment, isDamage } from '#store/segments/segment-layout.ts'
import type { SegmentBlock } from '#store/segments/segment-writer.ts'
import { MAX_BLOCK_TRANSACTIONS, splitBody } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { belongsTo, receiptsRoot } from '#types/block/block-roots.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

export interface BlockHashing {
  readonly hashBlock: HashBlock
  readonly keccak: Keccak
}

/** Throws SEGMENT_DAMAGED at the first problem. */
export function* verifyBlocks(
  segment: Segment,
  path: string,
  { before, last }: SegmentLinks,
  hashing: BlockHashing,
): Sliced<void> {
  const damaged = damagedSegment(path)
  const { first, count, genesisHash } = segment
  const indexes = new SegmentIndexes()
  let parent = before
  for (let number = first; number < first + count; number++) {
    yield
    const block = readBlock(segment, number, hashing.keccak, damaged)
    const problem = blockProblem(number, block, parent, hashing)
    if (problem !== undefined) throw damaged(`block ${number} ${problem}`)
    if (number === 0 && !equalBytes(block.hash, genesisHash)) throw damaged('its block 0 is of another chain')
    indexes.add(block, number - first)
    parent = block.hash
  }
  if (last !== undefined && !equalBytes(segment.hash(first + count - 1), last))
    throw damaged('the next block does not follow its last one')
  yield* segment.verifyIndexes(indexes)
}

/** A copy may come from elsewhere: bytes that cannot be decoded are damage, whatever the decoder throws. */
function readBlock(
  segment: Segment,
  number: number,
  keccak: Keccak,
  damaged: ReturnType<typeof damagedSegment>,
): SegmentBlock {
  try {
    const store = {
      canonicalHash: (each: number) => segment.hash(each),
      read: segment.read.bind(segment),
    }
    return indexedBlock(store, number, keccak)!
  } catch (error) {
    if (isDamage(error)) throw error
    throw damaged(`block ${number} cannot be decoded (${error instanceof Error ? error.message : error})`)
  }
}

function blockProblem(
  number: number,
  block: SegmentBlock,
  parent: Uint8Array | undefined,
  hashing: BlockHashing,
): string | undefined {
  try {
    const header = decodeHeader(block.header)
    if (header.number !== BigInt(number) || hashing.hashBlock(header) !== hashFromBytes(block.hash))
      return 'has another hash than its header'
    if (parent !== undefined && header.parentHash !== hashFromBytes(parent))
      return 'does not follow the block before it'
    return contentProblem(number, block, header, hashing.keccak)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return `cannot be decoded (${error.message})`
  }
}

/** Returns undefined for a block with a header alone. */
export function contentProblem(
  number: number,
  { body, receipts }: Pick<SegmentBlock, 'body' | 'receipts'>,
  header: BlockHeader,
  keccak: Keccak,
): string | undefined {
  if (body === undefined) return receipts === undefined ? undefined : 'has receipts without transactions'
  if (!belongsTo(splitBody(body, MAX_BLOCK_TRANSACTIONS), keccak)(header))
    return 'has another body than its header says'
  if (receipts === undefined) return number === 0 ? undefined : 'lacks its receipts'
  const decoded = decodeStoredReceipts(receipts).map((each) => ({
    ...each,
    logsBloom: bloomOfLogs(each.logs),
  }))
  return receiptsRoot(decoded, keccak) === header.receiptsRoot
    ? undefined
    : 'has other receipts than its header says'
}
