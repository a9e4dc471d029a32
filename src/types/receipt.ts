/** What became of a transaction, as the receipts trie and peers have it. */
import { BLOOM_BYTES } from './bloom.ts'
import { Fault } from './fault.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from './hash.ts'
import { type Log, logFromRlp, logToRlp } from './log.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodeRlp,
  encodeTypedRlp,
  listFromRlp,
  type RlpItem,
  type RlpLimits,
  rlpScalar,
  scalarFromRlp,
} from './rlp.ts'
import type { TransactionType } from './transaction.ts'

export interface Receipt {
  /** That of the transaction. */
  readonly type: TransactionType
  /** From Byzantium on whether it succeeded, as 0 or 1; before, the root of the state after it. */
  readonly outcome: 0 | 1 | Hash
  /** Of the block, up to and with this transaction. */
  readonly cumulativeGasUsed: bigint
  readonly logsBloom: Uint8Array
  readonly logs: readonly Log[]
}

/** A log has four items and a cost of 375 gas at least: room for some 90 million gas of nothing but logs. */
const LIMITS: RlpLimits = { maxDepth: 4, maxItems: 1_000_000 }
const UINT64_BYTES = 8

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

/** The result holds views of the input. */
export function decodeReceipt(encoded: Uint8Array): Receipt {
  try {
    const type = typeOf(encoded)
    const list = decodeRlp(type === 0 ? encoded : encoded.subarray(1), LIMITS)
    const [outcome, gas, bloom, logs] = listFromRlp(list, 4) as readonly [RlpItem, RlpItem, RlpItem, RlpItem]
    return {
      type,
      outcome: outcomeFromRlp(outcome),
      cumulativeGasUsed: scalarFromRlp(gas, UINT64_BYTES),
      logsBloom: bytesFromRlp(bloom, BLOOM_BYTES),
      logs: listFromRlp(logs).map(logFromRlp),
    }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const sentence = `The bytes are no receipt. ${cause.data.sentence}`
    throw new Fault('INVALID_RECEIPT', { sentence }, { cause })
  }
}

function typeOf(encoded: Uint8Array): TransactionType {
  const first = encoded[0] ?? 0
  if (first >= 0xc0) return 0
  if (first === 1 || first === 2 || first === 3 || first === 4) return first
  const sentence = 'Its first byte is neither that of a list nor a type from 1 to 4.'
  throw new Fault('INVALID_RECEIPT', { sentence })
}

function outcomeFromRlp(item: RlpItem): Receipt['outcome'] {
  if (item.length === HASH_BYTES) return hashFromBytes(bytesFromRlp(item))
  const status = scalarFromRlp(item, 1)
  if (status === 0n) return 0
  if (status === 1n) return 1
  throw new Fault('INVALID_RECEIPT', { sentence: `Its status is 0 or 1, and not ${status}.` })
}
