/** Receipts as peers exchange them: up to 68 as in the trie, with their blooms; from 69 on without, and flat. */
import { bloomOfLogs } from '#types/block/bloom.ts'
import { logToRlp } from '#types/block/log.ts'
import { encodeReceipt, type Receipt } from '#types/block/receipt.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodeRlp, encodeRlpList, rlpScalar } from '#types/rlp.ts'
import type { EthVersion } from './eth-codes.ts'

/** Those of one block, as one item of an answer. */
export function encodeBlockReceipts(
  version: EthVersion,
  receipts: readonly Omit<Receipt, 'logsBloom'>[],
  keccak: Keccak,
): Uint8Array {
  return encodeRlpList(
    receipts.map((receipt) => {
      if (version >= 69) return encodeFlat(receipt)
      const encoded = encodeReceipt({ ...receipt, logsBloom: bloomOfLogs(receipt.logs, keccak) })
      return receipt.type === 0 ? encoded : encodeRlp(encoded)
    }),
  )
}

/** `[type, status or root, gas, logs]` */
function encodeFlat({ type, outcome, cumulativeGasUsed, logs }: Omit<Receipt, 'logsBloom'>): Uint8Array {
  return encodeRlp([
    rlpScalar(type),
    typeof outcome === 'string' ? hashToBytes(outcome) : rlpScalar(outcome),
    rlpScalar(cumulativeGasUsed),
    logs.map(logToRlp),
  ])
}
