/** A transaction receipt in the encoding of the receipts trie and of peers. */
import { type Hash, hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeTypedRlp, rlpScalar } from '#types/rlp.ts'
import type { TransactionType } from '#types/transaction/transaction.ts'
import { type Log, logToRlp } from './log.ts'

export interface Receipt {
  readonly type: TransactionType
  /** From Byzantium on 0 for failure or 1 for success; before, the state root after the transaction. */
  readonly outcome: 0 | 1 | Hash
  /** Gas used in the block up to and including this transaction. */
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
