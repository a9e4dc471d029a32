/** Receipts as peers send them: up to eth/68 as in the trie, with blooms; from 69 on flat and without. */

import { ethFault } from '#sync/faults.ts'
import { logFromRlp } from '#types/block/log.ts'
import type { Receipt } from '#types/block/receipt.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES, hashFromBytes } from '#types/hash.ts'
import { bytesFromRlp, decodeRlp, listFromRlp, type RlpItem, scalarFromRlp } from '#types/rlp.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'
import { BLOCK_MAX_BYTES, type EthVersion } from './eth-codes.ts'

/** A block's receipts within a message. The smallest item has a byte. */
const LIMITS = { maxDepth: 5, maxItems: BLOCK_MAX_BYTES, maxBytes: BLOCK_MAX_BYTES }
const UINT64_BYTES = 8
const MAX_TYPE = 0x7f

/** A receipt without its bloom, which follows from its logs. */
export type PeerReceipt = Omit<Receipt, 'logsBloom'>

/** Decodes the receipts of one block; throws a fault of the peer. */
export function decodeBlockReceipts(version: EthVersion, encoded: Uint8Array): PeerReceipt[] {
  try {
    const decode = version >= 69 ? flatReceipt : trieReceipt
    return listFromRlp(decodeRlp(encoded, LIMITS)).map(decode)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw ethFault(`The peer sent malformed receipts. ${cause.message}`)
  }
}

/** `[type, outcome, gas, logs]` */
function flatReceipt(item: RlpItem): PeerReceipt {
  const [type, outcome, gas, logs] = listFromRlp(item, 4)
  return receiptOf(Number(scalarFromRlp(type!, 1)), [outcome!, gas!, logs!])
}

/** `[outcome, gas, bloom, logs]`, or the type before it in a string. */
function trieReceipt(item: RlpItem): PeerReceipt {
  const bytes = item instanceof Uint8Array ? item : undefined
  const list = bytes === undefined ? item : decodeRlp(bytes.subarray(1), LIMITS)
  const [outcome, gas, , logs] = listFromRlp(list, 4)
  return receiptOf(bytes?.[0] ?? 0, [outcome!, gas!, logs!])
}

function receiptOf(type: number, [outcome, gas, logs]: readonly [RlpItem, RlpItem, RlpItem]): PeerReceipt {
  if (type > MAX_TYPE) throw ethFault(`The peer sent a receipt of type ${type}.`)
  const status = bytesFromRlp(outcome)
  return {
    type: type as TransactionType,
    outcome:
      status.length === HASH_BYTES ? hashFromBytes(status) : Number(scalarFromRlp(outcome, 1)) === 0 ? 0 : 1,
    cumulativeGasUsed: scalarFromRlp(gas, UINT64_BYTES),
    logs: listFromRlp(logs).map(logFromRlp),
  }
}
