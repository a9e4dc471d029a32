/** The simplest possible model of the pool: one list, searched from the beginning for every question. */
import type { LeftOutReason } from '#chain/build/candidates.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { FakeChain } from './pool.fixture.ts'
import type { PoolSettings } from './read-settings.ts'
import type { AdmissionReason, SubmittedTransaction, TransactionOrigin } from './submitted-transaction.ts'

interface ModelEntry {
  readonly transaction: SubmittedTransaction
  readonly origin: TransactionOrigin
  readonly hasPriority: boolean
  readonly arrival: number
  readonly atMs: number
  timeouts: number
  lacksFunds: boolean
}

export class PoolModel {
  entries: ModelEntry[] = []
  /** Local transactions that are or were in a block. */
  readonly #minedLocals = new Set<Hash>()
  readonly #chain: FakeChain
  readonly #settings: PoolSettings
  readonly #nowMs: () => number
  #arrivals = 0

  constructor(chain: FakeChain, settings: PoolSettings, nowMs: () => number) {
    this.#chain = chain
    this.#settings = settings
    this.#nowMs = nowMs
  }

  has(hash: Hash): boolean {
    return this.entries.some(({ transaction }) => transaction.hash === hash)
  }

  of(sender: Address): ModelEntry[] {
    const own = this.entries.filter(({ transaction }) => transaction.sender === sender)
    return own.sort((a, b) => Number(a.transaction.nonce - b.transaction.nonce))
  }

  nextNonce(sender: Address): bigint {
    let nonce = this.#chain.nonceOf(sender)
    for (const { transaction } of this.of(sender)) if (transaction.nonce === nonce) nonce++
    return nonce
  }

  isPending({ transaction: { sender, nonce } }: ModelEntry): boolean {
    return nonce < this.nextNonce(sender)
  }

  admit(
    transaction: SubmittedTransaction,
    origin: TransactionOrigin,
    isPermitted: boolean,
  ): AdmissionReason | 'ok' {
    const { sender, nonce } = transaction
    const { hasLocalPriority, prioritySenders, minGasPriceWei, maxGap, maxBySender } = this.#settings
    const hasPriority = (hasLocalPriority && origin === 'local') || prioritySenders.has(sender)
    const arrival = ++this.#arrivals
    if (this.has(transaction.hash)) return 'TRANSACTION_ALREADY_KNOWN'
    const floor = hasPriority ? (this.#chain.baseFee > 0n ? 1n : 0n) : minGasPriceWei
    if (transaction.maxFeePerGas < floor) return 'GAS_PRICE_TOO_LOW'
    if (!isPermitted) return 'TX_SENDER_NOT_AUTHORIZED'
    const { nonce: base, balance } = this.#chain.account(sender)
    if (nonce < base) return 'NONCE_TOO_LOW'
    if (balance < transaction.maxCostWei) return 'UPFRONT_COST_EXCEEDS_BALANCE'
    const replaced = this.of(sender).find((other) => other.transaction.nonce === nonce)
    if (replaced !== undefined) {
      if (!this.#isBumped(transaction, replaced.transaction)) return 'TRANSACTION_REPLACEMENT_UNDERPRICED'
    } else {
      const next = this.nextNonce(sender)
      const isTooFar = nonce !== next && nonce >= next + BigInt(maxGap)
      const isBeyondShare = maxBySender !== undefined && nonce >= base + BigInt(maxBySender)
      if (isTooFar || isBeyondShare) return 'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER'
    }
    const seen = { arrival, atMs: this.#nowMs(), timeouts: 0, lacksFunds: false }
    const entry = { transaction, origin, hasPriority, ...seen }
    const before = this.entries
    this.entries = [...before.filter((other) => other !== replaced), entry]
    while (this.#isTooFull()) this.#evict()
    if (this.entries.includes(entry)) return 'ok'
    this.entries = before
    return 'POOL_FULL'
  }

  select(minGasPriceWei: bigint, mayTransact: (sender: Address) => boolean): Hash[] {
    const { baseFee, gasLimit } = this.#chain
    const next = new Map<Address, bigint>()
    const chosen: Hash[] = []
    const slow: Hash[] = []
    const tip = ({ transaction: { maxFeePerGas, maxPriorityFeePerGas } }: ModelEntry) => {
      const left = maxFeePerGas - baseFee
      if (left < maxPriorityFeePerGas) return left
      return maxPriorityFeePerGas
    }
    for (;;) {
      const ready = this.entries.filter(({ transaction: { sender, nonce } }) => {
        return nonce === (next.get(sender) ?? this.#chain.nonceOf(sender))
      })
      ready.sort(
        (a, b) =>
          Number(b.hasPriority) - Number(a.hasPriority) || Number(tip(b) - tip(a)) || a.arrival - b.arrival,
      )
      const [best] = ready
      if (best === undefined) break
      const { sender, nonce, hash } = best.transaction
      const account = this.#chain.account(sender)
      const isTooCheap = tip(best) < 0n || (!best.hasPriority && baseFee + tip(best) < minGasPriceWei)
      const isPoor = best.lacksFunds && account.balance < best.transaction.maxCostWei
      next.set(sender, -1n)
      if (isTooCheap || best.transaction.gasLimit > gasLimit || isPoor) continue
      if (best.timeouts > 0) {
        slow.push(hash)
        continue
      }
      if (!mayTransact(sender)) continue
      chosen.push(hash)
      next.set(sender, nonce + 1n)
    }
    const isPermitted = (hash: Hash) => {
      return mayTransact(
        this.entries.find(({ transaction }) => transaction.hash === hash)!.transaction.sender,
      )
    }
    return [...chosen, ...slow.filter(isPermitted)]
  }

  leftOut(hash: Hash, reason: LeftOutReason): void {
    const entry = this.entries.find(({ transaction }) => transaction.hash === hash)
    if (entry === undefined) return
    if (reason === 'BLOCK_SELECTION_TIMEOUT') entry.timeouts++
    if (reason === 'UPFRONT_COST_EXCEEDS_BALANCE') entry.lacksFunds = true
    const isGone =
      reason === 'INVALID_SIGNATURE' || reason === 'TX_EVALUATION_TOO_LONG' || entry.timeouts === 3
    if (isGone) this.entries = this.entries.filter((other) => other !== entry)
  }

  /** Follows a head change; `returned` are the transactions of blocks that left the chain. */
  moved(returned: readonly SubmittedTransaction[], mayTransact: (sender: Address) => boolean): void {
    for (const { transaction, origin } of this.entries) {
      if (origin === 'local' && this.#chain.isIncluded(transaction.hash))
        this.#minedLocals.add(transaction.hash)
    }
    this.entries = this.entries.filter(
      ({ transaction }) => transaction.nonce >= this.#chain.nonceOf(transaction.sender),
    )
    for (const transaction of returned) {
      const { hash, sender } = transaction
      if (this.#chain.isIncluded(hash)) continue
      this.admit(transaction, this.#minedLocals.has(hash) ? 'local' : 'remote', mayTransact(sender))
    }
  }

  expire(): void {
    const oldest = this.#nowMs() - this.#settings.retentionMs
    this.entries = this.entries.filter(({ atMs }) => atMs > oldest)
  }

  #isBumped(next: SubmittedTransaction, before: SubmittedTransaction): boolean {
    const { priceBump } = this.#settings
    const isEnough = (price: bigint, old: bigint) =>
      priceBump === 0 ? price >= old : price * 100n >= old * BigInt(100 + priceBump) && price > old
    return (
      isEnough(next.maxFeePerGas, before.maxFeePerGas) &&
      isEnough(next.maxPriorityFeePerGas, before.maxPriorityFeePerGas)
    )
  }

  #isTooFull(): boolean {
    const bytes = this.entries.reduce((sum, { transaction }) => sum + transaction.encoded.length, 0)
    return this.entries.length > this.#settings.maxCount || bytes > this.#settings.maxBytes
  }

  #evict(): void {
    const tails = this.entries.filter((entry) => this.of(entry.transaction.sender).at(-1) === entry)
    tails.sort(
      (a, b) =>
        Number(a.hasPriority) - Number(b.hasPriority) ||
        Number(this.isPending(a)) - Number(this.isPending(b)) ||
        Number(a.transaction.maxFeePerGas - b.transaction.maxFeePerGas) ||
        b.arrival - a.arrival,
    )
    this.entries = this.entries.filter((entry) => entry !== tails[0])
  }
}
