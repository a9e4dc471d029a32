/** Verifies the blobs of transactions on the thread that received them. */
import type { BlobCrypto } from '#evm/native/kzg.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { encodePooledTransaction, versionedHash } from '#types/transaction/blob-sidecar.ts'
import type { UnverifiedBlobs } from './prepare-submission.ts'
import { type Rejection, reject, type SubmittedBlobs } from './submitted-transaction.ts'

/** Maximum transactions that wait for their proofs to be verified; more are refused. */
const MAX_WAITING = 64

export class BlobVerifier {
  readonly #crypto: BlobCrypto | undefined
  readonly #converts: boolean
  /** One transaction at a time, because the database writes in the same thread pool. */
  readonly #turns = new SerialQueue(MAX_WAITING)

  constructor(crypto: BlobCrypto | undefined, { convertsBlobs }: { readonly convertsBlobs: boolean }) {
    this.#crypto = crypto
    this.#converts = convertsBlobs
  }

  async verify(unverified: UnverifiedBlobs): Promise<SubmittedBlobs | Rejection> {
    const crypto = this.#crypto
    if (crypto === undefined) {
      const sentence =
        'This node cannot verify blobs, because the native engine is missing. Install it, or send the transaction to another node.'
      return reject('INVALID_TRANSACTION_FORMAT', sentence)
    }
    const refusal = refuseHashes(unverified) ?? this.#refuseVersion(unverified)
    if (refusal !== undefined) return refusal
    const verdict = this.#turns.take(() => prove(unverified, crypto))
    if (verdict !== undefined) return await verdict
    const sentence = `${MAX_WAITING} transactions with blobs wait for verification: send this one again later.`
    return reject('POOL_BUSY', sentence)
  }

  #refuseVersion({ sidecar: { version }, wanted }: UnverifiedBlobs): Rejection | undefined {
    if (version === wanted || (version < wanted && this.#converts)) return undefined
    const [has, needs] = wanted === 1 ? ['blob', 'cell'] : ['cell', 'blob']
    return reject(
      'WRONG_BLOB_PROOFS',
      `The transaction has ${has} proofs, and the next block needs ${needs} proofs.`,
    )
  }
}

function refuseHashes({ transaction, sidecar }: UnverifiedBlobs): Rejection | undefined {
  const named = transaction.blobVersionedHashes
  const { commitments } = sidecar
  if (commitments.length !== named.length) {
    const sentence = `The transaction names ${named.length} blobs and comes with ${commitments.length}.`
    return reject('INVALID_BLOBS', sentence)
  }
  for (const [index, commitment] of commitments.entries()) {
    const hash = versionedHash(commitment)
    if (hash === named[index]) continue
    return reject(
      'INVALID_BLOBS',
      `Blob ${index} has the hash ${hash}, and the transaction names ${named[index]}.`,
    )
  }
  return undefined
}

async function prove(
  { transaction, sidecar, encoded, wanted }: UnverifiedBlobs,
  crypto: BlobCrypto,
): Promise<SubmittedBlobs | Rejection> {
  if (!(await crypto.verify(sidecar))) return reject('INVALID_BLOBS', 'A proof does not belong to its blob.')
  const hashes = transaction.blobVersionedHashes
  if (sidecar.version === wanted) return { version: wanted, hashes, encoded }
  const converted = await crypto.prove(sidecar.blobs, wanted)
  return { version: wanted, hashes, encoded: encodePooledTransaction({ transaction, sidecar: converted }) }
}
