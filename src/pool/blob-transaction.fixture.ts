/** A signed transaction with blobs and valid proofs, for the account and chain of chain.fixture.ts. */

import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import type { Crypto } from '#evm/crypto.ts'
import { assert } from '#types/assert.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import {
  BLOB_BYTES,
  encodePooledTransaction,
  type PooledTransaction,
  type SidecarVersion,
  versionedHash,
} from '#types/transaction/blob-sidecar.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { BlobFields } from '#types/transaction/transaction.ts'

const KEY = new Uint8Array(32).fill(7)

export interface BlobTransactionFields extends Partial<BlobFields> {
  readonly version: SidecarVersion
  readonly count?: number
}

/** A blob whose field elements begin with 0, so they are in range. */
export function blobContent(seed: number): Uint8Array {
  return Uint8Array.from({ length: BLOB_BYTES }, (_, at) => (at % 32 === 0 ? 0 : (at + seed) & 0xff))
}

export async function blobTransaction(
  { blobs }: Crypto,
  { version, count = 1, ...fields }: BlobTransactionFields,
): Promise<PooledTransaction & { readonly encoded: Uint8Array }> {
  assert(blobs !== undefined, 'The native engine is built.')
  const contents = Array.from({ length: count }, (_, seed) => blobContent(seed))
  const sidecar = await blobs.prove(contents, version)
  const transaction = signTransaction(
    {
      type: 3,
      chainId: 1337n,
      nonce: 0n,
      gasLimit: 21_000n,
      to: `0x${'22'.repeat(20)}` as never,
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxFeePerGas: 2_000_000_000n,
      maxPriorityFeePerGas: 1n,
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: sidecar.commitments.map(versionedHash),
      ...fields,
    },
    KEY,
  )
  const pooled = { transaction, sidecar }
  return { ...pooled, encoded: encodePooledTransaction(pooled) }
}

/** The chain of chain.fixture.ts with later forks from genesis on. */
export function blobGenesis(forks: Readonly<Record<string, number>>): Genesis {
  const genesis = JSON.parse(GENESIS_TEXT)
  const verdict = parseGenesis(JSON.stringify({ ...genesis, config: { ...genesis.config, ...forks } }))
  assert(verdict.ok, 'The genesis is valid.')
  return verdict.genesis
}
