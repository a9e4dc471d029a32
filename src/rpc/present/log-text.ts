/** Logs as JSON text, kept for a while: answers have thousands of them, and everybody asks for the same. */
import { ByteCache } from '#chain/read/byte-cache.ts'
import type { FoundLog } from '#chain/read/logs.ts'
import type { Log } from '#types/block/log.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

const MAX_BYTES = 16 * 1024 * 1024
/** What the log itself takes in memory, which is held as long as its text. */
const LOG_BYTES = 512

/** By the log as it was decoded, which is of one place in one block. */
const texts = new ByteCache<Log, string>(MAX_BYTES)

/** Of a log that is part of the chain. */
export function keptLogText(found: FoundLog): string {
  const kept = texts.get(found.log)
  if (kept !== undefined) return kept
  const text = logText(found)
  texts.set(found.log, text, text.length + found.log.data.length + LOG_BYTES)
  return text
}

/** The JSON of `presentLog`, in half the time: nothing in it needs escapes. */
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
