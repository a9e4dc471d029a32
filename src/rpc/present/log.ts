import type { FoundLog } from '#chain/read/logs.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

/** A log of eth_getLogs, of filters and of subscriptions. The order of members is Besu's. */
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
