/** The versions of `eth` that this node speaks, their messages, and how much of each is taken from a peer. */
import type { MessageLimit } from '#p2p/peers/protocol.ts'

/** 66: GoQuorum speaks no newer one. 69: a status with a range of blocks, receipts without blooms. */
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

/** Codes that a version reserves, in use or not. */
export function messageCount(version: EthVersion): number {
  return version >= 69 ? 18 : 17
}

const KIB = 1024
const MIB = 1024 * KIB
/** The largest answer that a peer may send; Besu sends as much. */
const ANSWER_MAX_BYTES = 10 * MIB
/** The largest answer that this node sends, unless its only item is larger; geth sends as much. */
export const OWN_ANSWER_MAX_BYTES = 2 * MIB
/** A block is one item, and may be larger than an answer should be. */
export const BLOCK_MAX_BYTES = 16 * MIB - KIB

/** Of one answer; as in Besu. */
export const MAX_HEADERS = 512
export const MAX_BODIES = 128
export const MAX_RECEIPTS = 256
export const MAX_POOLED = 256
/** Of one announcement; as in Besu and geth. */
export const MAX_ANNOUNCED = 4_096
/** Hashes in a request: more are asked for than are answered, and the rest is left out. */
export const MAX_ASKED = 4_096

const HASH_BYTES = 33
/**
 * Of what no honest peer sends so often for so long: who waits for answers before it asks on comes nowhere near. Transactions
 * and their hashes are load, and so are questions about them, one for each message that told of some.
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

/** undefined: the version has no such message, and whoever sends it breaks the protocol. */
export function limitOf(version: EthVersion, code: number): MessageLimit | undefined {
  if (code === ETH.blockRangeUpdate) return version >= 69 ? RANGE_LIMIT : undefined
  if (code === ETH.getNodeData) return version === 66 ? BLOCK_REQUEST : undefined
  return LIMITS.get(code)
}
