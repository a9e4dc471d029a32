import type { Plants } from './plant.ts'

const CORE = 'src/pool/core/pool-core.ts'
const SELECTION = 'src/pool/core/selection.ts'
const POOL = 'src/pool/transaction-pool.ts'
const JUDGE = 'src/pool/judge-submission.ts'
const PREPARE = 'src/pool/prepare-submission.ts'
const REPLACEMENT = 'src/pool/core/replacement.ts'
const POOL_TEST = 'src/pool/transaction-pool.test.ts'
const PROPERTY_TEST = 'src/pool/transaction-pool.property.test.ts'
const VERIFY = 'src/pool/verify-blobs.ts'
const VERIFY_TEST = 'src/pool/verify-blobs.test.ts'
const PREPARE_TEST = 'src/pool/prepare-submission.test.ts'

export const POOL_PLANTS: Plants = {
  'pool-any-size': {
    mistake: 'the pool accepts transactions of any size from peers and clients',
    file: PREPARE,
    from: 'if (bytes.length > MAX_TRANSACTION_BYTES) {',
    to: 'if (bytes.length > 4 * MAX_TRANSACTION_BYTES) {',
    caughtBy: PREPARE_TEST,
  },
  'pool-takes-blobs': {
    mistake: 'the pool accepts unverified blobs',
    file: VERIFY,
    from: 'if (!(await crypto.verify(sidecar))) return',
    to: 'if ((await crypto.verify(sidecar)) === undefined) return',
    caughtBy: VERIFY_TEST,
  },
  'pool-replacement-free': {
    mistake: 'a replacement that does not pay more replaces a transaction',
    file: REPLACEMENT,
    from: 'if (next[price] >= least) continue',
    to: 'if (next[price] >= before[price]) continue',
    caughtBy: 'src/pool/core/replacement.test.ts',
  },
  'pool-replacement-underpriced-tip': {
    mistake: 'only one of the two fees of a replacement is compared',
    file: REPLACEMENT,
    from: "  maxPriorityFeePerGas: 'priority fee',\n",
    to: '',
    caughtBy: 'src/pool/core/replacement.test.ts',
  },
  'pool-unbounded-count': {
    mistake: 'the pool exceeds its maximum number of transactions',
    file: CORE,
    from: 'if (this.#byHash.size > maxCount || this.#bytes > maxBytes) return',
    to: 'if (this.#bytes > maxBytes) return',
    caughtBy: PROPERTY_TEST,
  },
  'pool-unbounded-bytes': {
    mistake: 'the pool exceeds its maximum size in bytes',
    file: CORE,
    from: 'if (this.#byHash.size > maxCount || this.#bytes > maxBytes) return',
    to: 'if (this.#byHash.size > maxCount) return',
    caughtBy: POOL_TEST,
  },
  'pool-evicts-priority': {
    mistake: 'a full pool drops transactions with priority first',
    file: CORE,
    from: 'if (a.entry.hasPriority !== b.entry.hasPriority) return a.entry.hasPriority ? 1 : -1',
    to: 'if (a.entry.hasPriority !== b.entry.hasPriority) return a.entry.hasPriority ? -1 : 1',
    caughtBy: PROPERTY_TEST,
  },
  'pool-evicts-in-vain': {
    mistake: 'a transaction that the full pool refuses has evicted others',
    file: CORE,
    from: 'for (const other of evicted) if (other.entry !== entry) this.#putBack(other)',
    to: '',
    caughtBy: POOL_TEST,
  },
  'pool-any-gap': {
    mistake: 'one sender fills the pool with distant nonces',
    file: CORE,
    from: 'if (nonce !== sender.nextNonce && nonce >= ofGap) return tooFar(ofGap)',
    to: '',
    caughtBy: PROPERTY_TEST,
  },
  'pool-used-nonce': {
    mistake: 'a nonce that was already used enters the pool',
    file: JUDGE,
    from: 'if (nonce < account.nonce) {',
    to: 'if (nonce + 1n < account.nonce) {',
    caughtBy: POOL_TEST,
  },
  'pool-unpermitted-sender': {
    mistake: 'an account without permission enters the pool',
    file: JUDGE,
    from: 'if (!isPermitted) {',
    to: 'if (!isPermitted && !hasPriority) {',
    caughtBy: POOL_TEST,
  },
  'pool-unpermitted-offered': {
    mistake: 'a transaction whose sender lost its permission goes into a block',
    file: POOL,
    from: 'const mayBeIn = ({ transaction }: PoolEntry) => this.#permits(transaction)',
    to: 'const mayBeIn = () => true',
    caughtBy: POOL_TEST,
  },
  'pool-price-order': {
    mistake: 'blocks take the lowest-paying transactions first',
    file: 'src/pool/core/price-order.ts',
    from: 'return compareBigints(this.tipOf(b, baseFee), this.tipOf(a, baseFee)) || a.arrival - b.arrival',
    to: 'return compareBigints(this.tipOf(a, baseFee), this.tipOf(b, baseFee)) || a.arrival - b.arrival',
    caughtBy: PROPERTY_TEST,
  },
  'pool-slow-first': {
    mistake: 'a transaction that used up the time of a block is first in the next one again',
    file: SELECTION,
    from: 'if (entry.timeouts > 0) {',
    to: 'if (entry.timeouts > 1_000) {',
    caughtBy: POOL_TEST,
  },
  'pool-keeps-mined': {
    mistake: 'mined transactions stay in the pool',
    file: CORE,
    from: '      sender.account = account\n      for (let entry',
    to: '      for (let entry',
    caughtBy: POOL_TEST,
  },
  'pool-never-expires': {
    mistake: 'transactions stay in the pool longer than configured',
    file: POOL,
    from: 'if (entry.keptSinceMs > oldest) continue',
    to: 'if (entry.keptSinceMs > 0) continue',
    caughtBy: POOL_TEST,
  },
  'pool-permission-late': {
    mistake: 'a permission check that never ends blocks a transaction forever',
    file: 'src/pool/may-transact.ts',
    from: "withDeadline(clock, PERMISSION_DEADLINE_MS, verdict, 'The question who may send')",
    to: 'verdict',
    caughtBy: POOL_TEST,
  },
  'pool-unbounded-undecided': {
    mistake: 'pending permission checks accumulate without a limit',
    file: POOL,
    from: 'if (this.#undecided + submissions.length > MAX_UNDECIDED) {',
    to: 'if (this.#undecided > Number.MAX_SAFE_INTEGER) {',
    caughtBy: POOL_TEST,
  },
}
