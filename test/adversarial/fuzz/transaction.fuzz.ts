import assert from 'node:assert/strict'
import { parseAddress } from '#types/address.ts'
import { equalBytes } from '#types/bytes.ts'
import { parseHash } from '#types/hash.ts'
import {
  type BlobSidecar,
  decodePooledTransaction,
  encodePooledTransaction,
} from '#types/transaction/blob-sidecar.ts'
import { readPlainTransaction } from '#types/transaction/plain-transaction.ts'
import { encodeForSigning } from '#types/transaction/sign-transaction.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'
import { decodeAnyTransaction, decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { signingHash } from '#types/transaction/transaction-sender.ts'
import { validateTransaction } from '#types/transaction/transaction-validate.ts'
import type { FuzzTarget } from './target.ts'

const address = parseAddress('35'.repeat(20))
const hash = parseHash(`01${'ab'.repeat(31)}`)
const call = {
  nonce: 9n,
  gasLimit: 100_000n,
  to: address,
  value: 10n ** 18n,
  data: new Uint8Array(68).fill(7),
}
const accessList = [
  { address, storageKeys: [hash, hash] },
  { address, storageKeys: [] },
]
const fees = { ...call, chainId: 1337n, maxPriorityFeePerGas: 1n, maxFeePerGas: 10n ** 10n, accessList }
const authorization = { chainId: 0n, address, nonce: 1n, yParity: 1, r: 2n ** 255n, s: 3n }

const unsigned: readonly UnsignedTransaction[] = [
  { type: 0, chainId: 1337n, gasPrice: 10n ** 10n, ...call },
  { type: 0, chainId: null, gasPrice: 0n, ...call, to: null },
  { type: 1, chainId: 1337n, gasPrice: 10n ** 10n, ...call, accessList },
  { type: 1, chainId: 1337n, gasPrice: 10n ** 10n, ...call, accessList: [] },
  { type: 2, ...fees, to: null },
  { type: 2, ...fees, accessList: [] },
  { type: 3, ...fees, maxFeePerBlobGas: 1n, blobVersionedHashes: [hash, hash] },
  { type: 4, ...fees, authorizationList: [authorization, authorization] },
]
const signed = unsigned.map((each) => completeTransaction(each, { yParity: 1, r: 2n ** 250n, s: 2n ** 249n }))
/** A sidecar without blobs, because one with a blob is too long for many mutations. */
const sidecar: BlobSidecar = { version: 1, blobs: [], commitments: [], proofs: [] }

/** A constant in place of the hash, so the test compares bytes and does not spend time on hashing. */
const constant = new Uint8Array(32)
const noHash = () => constant

function verify(transaction: Transaction): void {
  const again = completeTransaction(transaction, transaction, noHash)
  assert.ok(
    equalBytes(again.encoded, transaction.encoded),
    'The decoded transaction encodes to different bytes.',
  )
  let signedBytes: Uint8Array = constant
  signingHash(transaction, (bytes) => {
    signedBytes = bytes
    return constant
  })
  assert.ok(
    equalBytes(signedBytes, encodeForSigning(transaction)),
    'Both encodings for signing must be the same.',
  )
  validateTransaction(transaction, { fork: 'osaka', chainId: 1337n })
}

const target: FuzzTarget = {
  name: 'transaction',
  seeds: () => [
    ...signed.map(({ encoded }) => encoded),
    encodePooledTransaction({ transaction: signed[6]!, sidecar }),
  ],
  run(input) {
    if (input[0] !== 3) {
      const plain = readPlainTransaction(input, noHash)
      if (plain !== undefined) assert.deepEqual(plain, decodeAnyTransaction(input, noHash))
      verify(decodeTransaction(input, noHash))
      return
    }
    const pooled = decodePooledTransaction(input, noHash)
    assert.ok(
      equalBytes(encodePooledTransaction(pooled), input),
      'The decoded transaction encodes to different bytes.',
    )
    verify(pooled.transaction)
  },
}

export default target
