import { type Candidate, firstSlice, type SelectionTerms } from '#chain/build/candidates.ts'
import { news, type OwnerOf, question } from '#platform/contract.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { AdmissionTurns } from './admission-turns.ts'
import type { PoolExplanation } from './explain.ts'
import type { PoolPage } from './pool-item.ts'
import type {
  AdmissionVerdict,
  PoolAddition,
  PoolDrop,
  SubmittedTransaction,
  TransactionOrigin,
} from './submitted-transaction.ts'
import type { PoolStatus, TransactionPool } from './transaction-pool.ts'

/** Transactions that wait for a block. */
export const POOL = {
  /** Decoded, valid and with their senders, a bounded number at a time. One verdict for each, in their order. */
  admit: question<
    [transactions: readonly SubmittedTransaction[], origin: TransactionOrigin],
    readonly AdmissionVerdict[]
  >({ maxArgBytes: undefined }),
  /** undefined: it is not in the pool. */
  get: question<[hash: Hash], SubmittedTransaction | undefined>(),
  /** The nonce behind the pending ones of a sender; undefined: it has none. */
  nextNonce: question<[address: Address], bigint | undefined>(),
  status: question<[], PoolStatus>(),
  /** What a block would be filled with, best first, and no more than fits into one piece of a channel. */
  candidates: question<[terms: SelectionTerms], readonly Candidate[]>(),
  /** Transactions that come to the pool. */
  added: news<PendingTransaction>(pendingBytes),
  /** Transactions that leave it without having been included in a block. */
  dropped: news<PendingTransaction>(pendingBytes),
  /** A page in the order of arrival, from one on. */
  list: question<[fromArrival: number], PoolPage<number>>(),
  /** A page of one sender by rising nonce, from one on. */
  listOf: question<[sender: Address, fromNonce: bigint], PoolPage<bigint>>(),
  /** Hashes of those that came between two counts. */
  additions: question<[from: number, to: number], readonly Hash[]>(),
  /** Why it waits, or was dropped. */
  explain: question<[hash: Hash], PoolExplanation | undefined>(),
}

export interface PendingTransaction {
  readonly hash: Hash
  /** As on the network of peers. */
  readonly encoded: Uint8Array
  readonly sender: Address
}

/** Hash and sender are texts. */
const PENDING_BASE_BYTES = 256

function pendingBytes({ encoded }: PendingTransaction): number {
  return PENDING_BASE_BYTES + encoded.length
}

export type LivePool = OwnerOf<typeof POOL>

/**
 * `pool` is asked for it at every call, because it is started after this object is made. `kept` resolves when what was
 * admitted survives a restart; undefined: nobody asked for that.
 */
export function createLivePool(pool: () => TransactionPool, kept?: () => Promise<void>): LivePool {
  const admissions = new AdmissionTurns(pool)
  return {
    admit: async (transactions, origin) => {
      const verdicts = await admissions.admit(transactions, origin)
      await kept?.()
      return verdicts
    },
    get: (hash) => pool().get(hash),
    nextNonce: (address) => pool().nextNonce(address),
    status: () => pool().status(),
    candidates: (terms) => firstSlice(pool(), terms),
    added: { subscribe: (listener) => pool().added.subscribe((all) => listener(all.map(pendingOf))) },
    dropped: { subscribe: (listener) => pool().dropped.subscribe((all) => listener(all.map(pendingOf))) },
    list: (fromArrival) => pool().list(fromArrival),
    listOf: (sender, fromNonce) => pool().listOf(sender, fromNonce),
    additions: (from, to) => pool().additions(from, to),
    explain: (hash) => pool().explain(hash),
  }
}

function pendingOf({ transaction: { hash, encoded, sender } }: PoolAddition | PoolDrop): PendingTransaction {
  return { hash, encoded, sender }
}
