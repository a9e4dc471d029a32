/** Logs as JSON text, cached: answers have thousands, and many clients ask for the same. */

import type { FoundLog } from '#chain/read/logs.ts'
import { ByteCache } from '#platform/byte-cache.ts'
import type { Log } from '#types/block/log.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** The memory of the log itself, which lives as long as its text. */
const LOG_BYTES = 512

/** By decoded log, which belongs to one place in one block. */
const texts = new ByteCache<Log, string>(MAX_BYTES)

/** For a log of the canonical chain. */
export function keptLogText(found: FoundLog): string {
  const kept = texts.get(found.log)
  if (kept !== undefined) return kept
  const text = logText(found)
  texts.set(found.log, text, text.length + found.log.data.length + LOG_BYTES)
  return text
}

/** The JSON of `presentLog` in half the time, since nothing in it needs escapes. */
export function logText(
  { block, transactionHash, transactionIndex, index, log }: FoundLog,
  removed = false,
): string {
  const topics = log.topics.length === 0 ? '' : `"${log.topics.join('","')}"`
  return (
    `{"logIndex":"${formatQuantity(index)}","removed":${removed}` +
    `,"blockNumber":"${formatQuantity(block.number)}","blockHash":"${block.hash}"` +
    `,"blockTimestamp":"${formatQuantity(block.timestamp)}","transactionHash":"${transactionHash}"` +
    `,"transactionIndex":"${formatQuantity(transactionIndex)}","address":"${log.address}"` +
    `,"data":"${formatData(log.data)}","topics":[${topics}]}`
  )
}

/** A log of eth_getLogs, filters and subscriptions, in Besu's member order. */
export function presentLog(
  { block, transactionHash, transactionIndex, index, log }: FoundLog,
  removed = false,
) {
  return {
    logIndex: formatQuantity(index),
    removed,
    blockNumber: formatQuantity(block.number),
    blockHash: block.hash,
    blockTimestamp: formatQuantity(block.timestamp),
    transactionHash,
    transactionIndex: formatQuantity(transactionIndex),
    address: log.address,
    data: formatData(log.data),
    topics: log.topics,
  }
}
