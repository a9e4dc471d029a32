/**
 * Stored receipts: without blooms, which follow from the logs, and with senders, so readers do not recover keys.
 * docs/internals/wire/chain.md is the specification.
 */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { logFromRlp, logToRlp } from '#types/block/log.ts'
import type { Receipt } from '#types/block/receipt.ts'
import { HASH_BYTES, hashFromBytes, hashToBytes } from '#types/hash.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  listFromRlp,
  type RlpItem,
  rlpScalar,
  scalarFromRlp,
} from '#types/rlp.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'

export interface StoredReceipt extends Omit<Receipt, 'logsBloom'> {
  readonly sender: Address
  /**
   * The output of a reverted transaction; undefined if it did not revert or reasons are not kept
   * (--revert-reason-enabled).
   */
  readonly revertReason: Uint8Array | undefined
}

/** The node wrote these bytes itself; the limits bound the work if they are damaged. */
const LIMITS = { maxDepth: 5, maxItems: 10_000_000, maxBytes: 2 ** 30 }
const UINT64_BYTES = 8
const LOGS_POSITION = 4

export function encodeStoredReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  return encodeRlp(receipts.map(receiptToRlp))
}

export function decodeStoredReceipts(stored: Uint8Array): StoredReceipt[] {
  return listFromRlp(decodeRlp(stored, LIMITS)).map(receiptFromRlp)
}

/** A receipt and the sums of those before it in the block. */
export interface PlacedReceipt {
  readonly receipt: StoredReceipt
  readonly before: ReceiptSums
}

export interface ReceiptSums {
  readonly gasUsed: bigint
  readonly logs: number
}

export const NO_RECEIPTS: ReceiptSums = { gasUsed: 0n, logs: 0 }

export function withReceipt({ logs }: ReceiptSums, receipt: StoredReceipt): ReceiptSums {
  return { gasUsed: receipt.cumulativeGasUsed, logs: logs + receipt.logs.length }
}

export function receiptAmong(receipts: readonly StoredReceipt[], index: number): PlacedReceipt | undefined {
  const receipt = receipts[index]
  return receipt && { receipt, before: receipts.slice(0, index).reduce(withReceipt, NO_RECEIPTS) }
}

/** Decodes one receipt; of those before it, only their logs are counted. */
export function decodeReceiptAt(stored: Uint8Array, index: number): PlacedReceipt | undefined {
  const items = [...encodedRlpItems(stored, LIMITS.maxItems)]
  const decode = (position: number): StoredReceipt => receiptFromRlp(decodeRlp(items[position]!, LIMITS))
  if (index >= items.length) return undefined
  let logs = 0
  for (const item of items.slice(0, index)) logs += logCount(item)
  const gasUsed = index === 0 ? 0n : decode(index - 1).cumulativeGasUsed
  return { receipt: decode(index), before: { gasUsed, logs } }
}

function logCount(receipt: Uint8Array): number {
  const logs = [...encodedRlpItems(receipt)][LOGS_POSITION]
  assert(logs !== undefined, 'A stored receipt has logs.')
  return [...encodedRlpItems(logs, LIMITS.maxItems)].length
}

function receiptToRlp({
  type,
  sender,
  outcome,
  cumulativeGasUsed,
  logs,
  revertReason,
}: StoredReceipt): RlpItem {
  const items: RlpItem[] = [
    rlpScalar(type),
    addressToBytes(sender),
    typeof outcome === 'string' ? hashToBytes(outcome) : rlpScalar(outcome),
    rlpScalar(cumulativeGasUsed),
    logs.map(logToRlp),
  ]
  if (revertReason !== undefined) items.push(revertReason)
  return items
}

function receiptFromRlp(item: RlpItem): StoredReceipt {
  const [type, sender, outcome, gas, logs, reason] = listFromRlp(item)
  assert(type && sender && outcome && gas && logs, 'A stored receipt has five items or six.')
  return {
    type: Number(scalarFromRlp(type, 1)) as TransactionType,
    sender: addressFromRlp(sender),
    outcome:
      outcome.length === HASH_BYTES ? hashFromBytes(bytesFromRlp(outcome)) : outcome.length === 0 ? 0 : 1,
    cumulativeGasUsed: scalarFromRlp(gas, UINT64_BYTES),
    logs: listFromRlp(logs).map(logFromRlp),
    revertReason: reason && bytesFromRlp(reason),
  }
}
