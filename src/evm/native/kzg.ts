/** KZG proofs of blobs, computed by the native engine's binary on other threads with the setup of Ethereum's ceremony. */
import { concatBytes } from '#types/bytes.ts'
import {
  type BlobSidecar,
  CELLS_PER_BLOB,
  COMMITMENT_BYTES,
  PROOF_BYTES,
} from '#types/transaction/blob-sidecar.ts'
import type { Addon } from './load-addon.ts'

export interface BlobCrypto {
  /** Whether the commitments and proofs belong to the blobs. */
  verify(sidecar: BlobSidecar): Promise<boolean>
  /** The blobs with commitments and proofs. Rejects if a field element of a blob is out of range. */
  prove(blobs: readonly Uint8Array[], version: BlobSidecar['version']): Promise<BlobSidecar>
}

const ANSWER_BYTES = COMMITMENT_BYTES + (1 + CELLS_PER_BLOB) * PROOF_BYTES

/** Undefined for a binary that lacks the functions. */
export function nativeBlobCrypto({ verifyBlobs, computeBlobProofs }: Addon): BlobCrypto | undefined {
  if (verifyBlobs === undefined || computeBlobProofs === undefined) return undefined
  return {
    verify: ({ blobs, commitments, proofs }) =>
      verifyBlobs(concatBytes(...blobs), concatBytes(...commitments), concatBytes(...proofs)),
    prove: async (blobs, version) => {
      const answers = await computeBlobProofs(concatBytes(...blobs))
      const each = blobs.map((_, index) => answers.slice(index * ANSWER_BYTES, (index + 1) * ANSWER_BYTES))
      return {
        version,
        blobs,
        commitments: each.map((answer) => answer.subarray(0, COMMITMENT_BYTES)),
        proofs: each.flatMap((answer) => proofsIn(answer, version)),
      }
    },
  }
}

/** An answer has the commitment, the proof of the blob, and the proofs of its cells. */
function proofsIn(answer: Uint8Array, version: BlobSidecar['version']): readonly Uint8Array[] {
  const proofAt = (index: number): Uint8Array => {
    const at = COMMITMENT_BYTES + index * PROOF_BYTES
    return answer.subarray(at, at + PROOF_BYTES)
  }
  if (version === 0) return [proofAt(0)]
  return Array.from({ length: CELLS_PER_BLOB }, (_, cell) => proofAt(1 + cell))
}
