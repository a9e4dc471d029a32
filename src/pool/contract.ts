import { type Candidate, firstSlice, type SelectionTerms } from '#chain/build/candidates.ts'
import { event, type OwnerOf, question } from '#platform/contract.ts'
import type { Address } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import { decodePooledTransaction, type SidecarVersion } from '#types/transaction/blob-sidecar.ts'
import { AdmissionTurns } from './admission-turns.ts'
import type { PoolExplanation } from './explain.ts'
import type { PoolPage } from './pool-item.ts'
import type {
  AdmissionVerdict,
  PoolAddition,
  PoolDrop,
  SubmittedBlobs,
  SubmittedTransaction,
  TransactionOrigin,
} from './submitted-transaction.ts'
import type { PoolStatus, TransactionPool } from './transaction-pool.ts'

/** Pending transactions. */
export const POOL = {
  /** Admits decoded, valid transactions with their senders, a bounded number per call. Returns one verdict each, in order. */
  admit: question<
    [transactions: readonly SubmittedTransaction[], origin: TransactionOrigin],
    readonly AdmissionVerdict[]
  >({ maxArgBytes: undefined }),
  /** Without blobs. */
  get: question<[hash: Hash], SubmittedTransaction | undefined>(),
  /** Blobs by their versioned hashes, in order; null for an unknown one. */
  blobs: question<[hashes: readonly Hash[]], readonly (ProvedBlob | null)[]>(),
  /** The nonce after the sender's pending transactions; undefined if the sender has none in the pool. */
  nextNonce: question<[address: Address], bigint | undefined>(),
  status: question<[], PoolStatus>(),
  /** The transactions a block would contain, best first, limited to one channel chunk. */
  candidates: question<[terms: SelectionTerms], readonly Candidate[]>(),
  /** Transactions that entered the pool. */
  added: event<PendingTransaction>(pendingBytes),
  /** Transactions that left the pool without being included in a block. */
  dropped: event<PendingTransaction>(pendingBytes),
  /** A page of the pool in order of arrival. */
  list: question<[fromArrival: number], PoolPage<number>>(),
  /** A page of one sender's transactions by nonce. */
  listOf: question<[sender: Address, fromNonce: bigint], PoolPage<bigint>>(),
  /** Hashes of the transactions that arrived between two addition counts. */
  additions: question<[from: number, to: number], readonly Hash[]>(),
  /** Explains why a transaction waits or was dropped. */
  explain: question<[hash: Hash], PoolExplanation | undefined>(),
}

/** One blob with its proofs: one proof in version 0, a proof for each cell in version 1. */
export interface ProvedBlob {
  readonly version: SidecarVersion
  readonly blob: Uint8Array
  /** The proofs, one after the other. */
  readonly proofs: Uint8Array
}

/** Copies the blob, because a view would drag the complete transaction to the other thread. */
function provedBlob({ version, hashes, encoded }: SubmittedBlobs, hash: Hash): ProvedBlob | undefined {
  const { sidecar } = decodePooledTransaction(encoded)
  if (sidecar === undefined) return undefined
  const at = hashes.indexOf(hash)
  const perBlob = sidecar.proofs.length / hashes.length
  const proofs = concatBytes(...sidecar.proofs.slice(at * perBlob, (at + 1) * perBlob))
  return { version, blob: sidecar.blobs[at]!.slice(), proofs }
}

export type PendingTransaction = Pick<SubmittedTransaction, 'hash' | 'encoded' | 'sender'>

/** Room for hash and sender, which are strings. */
const PENDING_BASE_BYTES = 256

function pendingBytes({ encoded }: PendingTransaction): number {
  return PENDING_BASE_BYTES + encoded.length
}

export type LivePool = OwnerOf<typeof POOL>

/** Delays of the answer to the sender of admitted transactions. */
export interface AnswerDelays {
  /** Resolves once admitted transactions would survive a restart. Undefined if the pool is not saved. */
  readonly kept?: (() => Promise<void>) | undefined
  /** Resolves once own transactions are in a block. Undefined if blocks do not follow transactions at once. */
  readonly settled?: Settled | undefined
}

/** `isWaiting` is true while the next block could contain one of the transactions. */
export type Settled = (isWaiting: () => boolean) => Promise<void>

export function createLivePool(pool: TransactionPool, { kept, settled }: AnswerDelays = {}): LivePool {
  const admissions = new AdmissionTurns(pool)
  return {
    admit: async (transactions, origin) => {
      const verdicts = await admissions.admit(transactions, origin)
      await kept?.()
      if (origin === 'local') await settled?.(() => transactions.some(({ hash }) => pool.isPending(hash)))
      return verdicts
    },
    get: (hash) => {
      const found = pool.get(hash)
      return found && { ...found, blobs: undefined }
    },
    blobs: (hashes) =>
      pool.findBlobs(hashes).map((blobs, index) => (blobs && provedBlob(blobs, hashes[index]!)) ?? null),
    nextNonce: (address) => pool.nextNonce(address),
    status: () => pool.status(),
    candidates: (terms) => firstSlice(pool, terms),
    added: { subscribe: (listener) => pool.added.subscribe((all) => listener(all.map(pendingOf))) },
    dropped: { subscribe: (listener) => pool.dropped.subscribe((all) => listener(all.map(pendingOf))) },
    list: (fromArrival) => pool.list(fromArrival),
    listOf: (sender, fromNonce) => pool.listOf(sender, fromNonce),
    additions: (from, to) => pool.additions(from, to),
    explain: (hash) => pool.explain(hash),
  }
}

function pendingOf({ transaction: { hash, encoded, sender } }: PoolAddition | PoolDrop): PendingTransaction {
  return { hash, encoded, sender }
}
