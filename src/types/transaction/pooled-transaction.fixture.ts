/** Encodes a transaction with its blobs, as peers send it. The node itself only decodes them. */
import { concatBytes } from '#types/bytes.ts'
import { encodeRlp, encodeRlpList, type RlpItem } from '#types/rlp.ts'
import type { PooledTransaction } from './blob-sidecar.ts'

export function encodePooledTransaction({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const { encoded } = transaction
  if (sidecar === undefined) return encoded
  const { version, blobs, commitments, proofs } = sidecar
  const items: RlpItem[] = version === 0 ? [] : [Uint8Array.of(version)]
  const rest = [...items, blobs, commitments, proofs].map(encodeRlp)
  return concatBytes(encoded.subarray(0, 1), encodeRlpList([encoded.subarray(1), ...rest]))
}
