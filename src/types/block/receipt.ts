/** The receipt of a transaction, in the encoding that the receipts trie and peers use. */
import { type Hash, hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeTypedRlp, rlpScalar } from '#types/rlp.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'
import { type Log, logToRlp } from './log.ts'

export interface Receipt {
  readonly type: TransactionType
  /** From Byzantium on whether it succeeded, as 0 or 1; before, the root of the state after it. */
  readonly outcome: 0 | 1 | Hash
  /** Of the block, up to and with this transaction. */
  readonly cumulativeGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}

/** EIP-2718: a type before the list unless it is 0. This is the value in the receipts trie. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const { type, outcome, cumulativeGasUsed, logsBloom, logs } = receipt
  const list = [
    typeof outcome === 'string' ? hashToBytes(outcome) : rlpScalar(outcome),
    rlpScalar(cumulativeGasUsed),
    logsBloom,
    logs.map(logToRlp),
  ]
  return type === 0 ? encodeRlp(list) : encodeTypedRlp(type, list)
}
