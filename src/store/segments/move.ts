/** Removes blocks from the database that are in a segment. */

import { blockKey, hashKey, numberKey, TABLE } from '#store/kv/keys.ts'
import type { KvBatch } from '#store/kv/kv.ts'
import { deleteLogIndex } from '#store/logged-blocks.ts'
import { deleteTraceIndex } from '#store/traced-blocks.ts'
import type { SegmentBlock } from './segment-writer.ts'

/** Tables whose keys begin with the number of the block. */
export const MOVED_TABLES = ['header', 'body', 'receipts', 'callTrees'] as const

/** Siblings stay in the database, and so does block 0, which every reader needs. */
export function deleteMovedBlock(batch: KvBatch, number: number, block: SegmentBlock): void {
  if (number === 0) return
  const { hash, transactionHashes, logAddresses, logTopics, parties } = block
  for (const table of MOVED_TABLES) batch.delete(blockKey(TABLE[table], number, hash))
  batch.delete(numberKey(TABLE.canonical, number))
  batch.delete(hashKey(TABLE.number, hash))
  for (const each of transactionHashes) batch.delete(hashKey(TABLE.transaction, each))
  deleteLogIndex(batch, number, logAddresses, logTopics)
  if (parties !== undefined) deleteTraceIndex(batch, number, parties)
}
