/** The supported `eth` versions, their messages, and the limits for each. */
import type { MessageLimit } from '#p2p/peers/protocol.ts'

/** Version 66 is the newest that GoQuorum speaks. Version 69 has a block range in the status and receipts without blooms. */
export const ETH_VERSIONS = [66, 68, 69] as const
export type EthVersion = (typeof ETH_VERSIONS)[number]

export const ETH = {
  status: 0x00,
  newBlockHashes: 0x01,
  transactions: 0x02,
  getBlockHeaders: 0x03,
  blockHeaders: 0x04,
  getBlockBodies: 0x05,
  blockBodies: 0x06,
  newBlock: 0x07,
  newPooledTransactionHashes: 0x08,
  getPooledTransactions: 0x09,
  pooledTransactions: 0x0a,
  getNodeData: 0x0d,
  nodeData: 0x0e,
  getReceipts: 0x0f,
  receipts: 0x10,
  blockRangeUpdate: 0x11,
} as const

/** The number of codes that a version reserves, used or not. */
export function messageCount(version: EthVersion): number {
  return version >= 69 ? 18 : 17
}

const KIB = 1024
const MIB = 1024 * KIB
/** Maximum size of a peer's answer; Besu sends as much. */
const ANSWER_MAX_BYTES = 10 * MIB
/** Maximum size of our answers unless a single item is larger; geth sends as much. */
export const OWN_ANSWER_MAX_BYTES = 2 * MIB
/** A block is a single item and may be larger than an answer. */
export const BLOCK_MAX_BYTES = 16 * MIB - KIB

/** Maximum items per answer, as in Besu. */
export const MAX_HEADERS = 512
export const MAX_BODIES = 128
export const MAX_RECEIPTS = 256
export const MAX_POOLED = 256
/** Maximum items per announcement, as in Besu and geth. */
export const MAX_ANNOUNCED = 4_096
/** Maximum hashes per request. Fewer are answered; the rest is left out. */
export const MAX_ASKED = 4_096

const HASH_BYTES = 33
/**
 * Messages that no honest peer sends this often for this long, since it waits for answers. Transactions, their hashes and
 * requests for them are ordinary load, one request per announcement.
 */
const FLOOD = { floodSeconds: 10 }
const REQUEST = { maxBytes: MAX_ASKED * HASH_BYTES + KIB, perSecond: 100 }
const BLOCK_REQUEST = { ...REQUEST, ...FLOOD }
const ANSWER = { maxBytes: ANSWER_MAX_BYTES, perSecond: 100 }

const LIMITS = new Map<number, MessageLimit>([
  [ETH.status, { maxBytes: KIB, perSecond: 1 }],
  [ETH.newBlockHashes, { maxBytes: 256 * KIB, perSecond: 100, ...FLOOD }],
  [ETH.transactions, { maxBytes: 4 * MIB, perSecond: 200 }],
  [ETH.getBlockHeaders, { maxBytes: KIB, perSecond: 200, ...FLOOD }],
  [ETH.blockHeaders, ANSWER],
  [ETH.getBlockBodies, BLOCK_REQUEST],
  [ETH.blockBodies, { maxBytes: BLOCK_MAX_BYTES, perSecond: 100 }],
  [ETH.newBlock, { maxBytes: BLOCK_MAX_BYTES, perSecond: 20 }],
  [ETH.newPooledTransactionHashes, { maxBytes: 256 * KIB, perSecond: 100 }],
  [ETH.getPooledTransactions, REQUEST],
  [ETH.pooledTransactions, ANSWER],
  [ETH.getReceipts, BLOCK_REQUEST],
  [ETH.receipts, ANSWER],
])
const RANGE_LIMIT: MessageLimit = { maxBytes: KIB, perSecond: 10 }

/** Returns undefined if the version has no such message; sending it breaks the protocol. */
export function limitOf(version: EthVersion, code: number): MessageLimit | undefined {
  if (code === ETH.blockRangeUpdate) return version >= 69 ? RANGE_LIMIT : undefined
  if (code === ETH.getNodeData) return version === 66 ? BLOCK_REQUEST : undefined
  return LIMITS.get(code)
}
