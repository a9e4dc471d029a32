import { deepStrictEqual, match, ok, strictEqual } from 'node:assert'
import { after, test } from 'node:test'
import { GENESIS_TEXT, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { parseHash } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { BLOB_BYTES, type BlobSidecar, encodePooledTransaction } from '#types/transaction/blob-sidecar.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { MAX_TRANSACTION_BYTES, type Transaction } from '#types/transaction/transaction.ts'
import { prepareSubmission } from './prepare-submission.ts'

const chain = await openTestChain()
after(() => chain.close())
const RULES = { feeCapWei: 0n, needsChainId: false, convertsBlobs: false }

/** The same chain with Cancun from genesis on. */
function cancunGenesis(): Genesis {
  const genesis = JSON.parse(GENESIS_TEXT)
  const verdict = parseGenesis(JSON.stringify({ ...genesis, config: { ...genesis.config, cancunTime: 0 } }))
  ok(verdict.ok)
  return verdict.genesis
}

function prepare(bytes: Uint8Array, genesis: Genesis = cancunGenesis()) {
  const verdict = prepareSubmission(bytes, createChainView({ store: chain.store, genesis }), keccak256, RULES)
  return verdict.ok ? 'taken' : [verdict.reason, verdict.sentence]
}

function withBlobs(count: number): Transaction {
  const hash = parseHash(`01${'00'.repeat(31)}`)
  const fees = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 10n }
  return signTransaction(
    {
      type: 3,
      chainId: 1337n,
      nonce: 0n,
      gasLimit: 21_000n,
      to: `0x${'22'.repeat(20)}` as never,
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      blobVersionedHashes: Array.from({ length: count }, () => hash),
      ...fees,
    },
    new Uint8Array(32).fill(7),
  )
}

const INFINITY = Uint8Array.of(0xc0, ...new Uint8Array(47))
const SIDECAR: BlobSidecar = {
  version: 0,
  blobs: [new Uint8Array(BLOB_BYTES)],
  commitments: [INFINITY],
  proofs: [INFINITY],
}

test('a transaction with blobs is prepared with its sidecar and the version of the next block', () => {
  const bytes = encodePooledTransaction({ transaction: withBlobs(1), sidecar: SIDECAR })
  const view = createChainView({ store: chain.store, genesis: cancunGenesis() })
  const prepared = prepareSubmission(bytes, view, keccak256, RULES)
  ok(prepared.ok && prepared.unverified !== undefined)
  deepStrictEqual(prepared.unverified.sidecar, SIDECAR)
  deepStrictEqual(prepared.unverified.encoded, bytes)
  strictEqual(prepared.unverified.wanted, 0)
})

test('a type 3 transaction without blobs or sidecar is undecodable', () => {
  for (const bytes of [
    withBlobs(1).encoded,
    withBlobs(0).encoded,
    encodePooledTransaction({
      transaction: withBlobs(0),
      sidecar: { ...SIDECAR, blobs: [], commitments: [], proofs: [] },
    }),
  ]) {
    strictEqual(prepare(bytes)[0], 'UNDECODABLE')
  }
})

test('blobs before Cancun are refused by the rules of the block', () => {
  const bytes = encodePooledTransaction({ transaction: withBlobs(1), sidecar: SIDECAR })
  const [reason, sentence] = prepare(bytes, testGenesis()) as [string, string]
  strictEqual(reason, 'INVALID_TRANSACTION_FORMAT')
  match(sentence, /come with cancun/)
})

test('a transaction above the maximum size is refused without decoding', () => {
  const oversized = new Uint8Array(MAX_TRANSACTION_BYTES + 1)
  const [reason, sentence] = prepare(oversized) as [string, string]
  strictEqual(reason, 'INVALID_TRANSACTION_FORMAT')
  match(sentence, /4194305 bytes, and this node takes at most 4194304/)
  strictEqual(prepare(oversized.subarray(1))[0], 'UNDECODABLE')
})

test('truncated and overlong transactions are undecodable', () => {
  const whole = encodePooledTransaction({ transaction: withBlobs(1), sidecar: SIDECAR })
  for (const bytes of [
    whole.subarray(0, -1),
    new Uint8Array([...whole, 0]),
    encodePooledTransaction({ transaction: withBlobs(1), sidecar: { ...SIDECAR, proofs: [] } }),
    encodePooledTransaction({
      transaction: withBlobs(1),
      sidecar: { ...SIDECAR, blobs: [new Uint8Array(BLOB_BYTES - 1)] },
    }),
  ]) {
    strictEqual(prepare(bytes)[0], 'UNDECODABLE')
  }
})
