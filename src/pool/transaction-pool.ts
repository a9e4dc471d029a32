/** The transaction pool on main: it judges submissions, follows the head, and reports additions and drops. */
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import type {
  Candidate,
  CandidateSource,
  LeftOut,
  OfferedCandidate,
  SelectionOrder,
} from '#chain/build/candidates.ts'
import { type HeadChange, readIncluded } from '#chain/write/head-change.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { PoolCore } from './core/pool-core.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import { type GateVerdict, Selection, type SelectionGate } from './core/selection.ts'
import type { SenderAccount, SenderQueue } from './core/sender-queue.ts'
import { explainEntry, type PoolExplanation } from './explain.ts'
import { type JudgeAdmission, judgeSubmission, type Permission, permissionsOf } from './judge-submission.ts'
import { type MayTransact, permits } from './may-transact.ts'
import { type JudgeCandidates, offerJudged } from './offer-judged.ts'
import type { PoolChain } from './pool-chain.ts'
import { type PoolPage, poolPage } from './pool-item.ts'
import type { PoolSettings } from './read-settings.ts'
import {
  MAX_DROPS,
  RecentAdditions,
  RecentBaseFees,
  RecentBlobs,
  RecentLocals,
  type RememberedDrop,
} from './recent.ts'
import {
  type AdmissionVerdict,
  type DropReason,
  type PoolAddition,
  type PoolDrop,
  reject,
  type SubmittedBlobs,
  type SubmittedTransaction,
  type TransactionOrigin,
} from './submitted-transaction.ts'
import { LEFT_OUT_FATES } from './wait-reason.ts'

export interface PoolParts {
  /** If true, transactions of blocks that left the chain do not return to the pool. */
  readonly forgetsRemoved?: boolean
  readonly clock: Clock
  readonly log: Log
  readonly chain: PoolChain
  readonly settings: PoolSettings
  /** The price floors of this node's blocks for transactions without priority. */
  readonly building: () => Pick<BuildingSettings, 'minGasPriceWei' | 'minPriorityFeeWei'>
  /** If undefined, every account may transact. */
  readonly mayTransact?: MayTransact | undefined
  /** Asked once per submission and once per block candidate. Both always answer in time. */
  readonly judgeAdmission?: JudgeAdmission | undefined
  readonly judgeCandidates?: JudgeCandidates | undefined
}

export interface PoolStatus {
  readonly pending: number
  readonly queued: number
  readonly local: number
  readonly remote: number
  readonly senders: number
  readonly bytes: number
  readonly maxSize: number
}

const ADMITTED: AdmissionVerdict = { ok: true }
/** Maximum transactions with a pending permission check; more are refused. */
const MAX_UNDECIDED = 16_384
/** Timeouts after which a transaction is dropped. */
const MAX_TIMEOUTS = 3

export class TransactionPool implements CandidateSource {
  /** Emitted in batches, after the transactions are in the pool. */
  readonly added: Signal<readonly PoolAddition[]>
  /** Emitted in batches, after the transactions left the pool. Included transactions are not dropped. */
  readonly dropped: Signal<readonly PoolDrop[]>
  readonly #parts: PoolParts
  readonly #core: PoolCore
  /** The head announced last. */
  #head: { readonly sequence: number; readonly hash: Hash } | undefined
  #arrivals = 0
  #undecided = 0
  readonly #recentAdditions = new RecentAdditions()
  readonly #recentDrops = new BoundedMap<Hash, RememberedDrop>(MAX_DROPS)
  readonly #recentLocals = new RecentLocals()
  readonly #recentBlobs = new RecentBlobs()
  readonly #recentBaseFees = new RecentBaseFees()
  /** Changes that listeners do not know yet. A transaction that is dropped and added again is in neither. */
  #additions: PoolAddition[] = []
  #drops = new Map<Hash, PoolDrop>()

  constructor(parts: PoolParts) {
    this.#parts = parts
    this.#core = new PoolCore(parts.settings)
    const onError = (err: unknown): void =>
      parts.log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'pool', err })
    this.added = createSignal(onError)
    this.dropped = createSignal(onError)
  }

  /** Returns one verdict each, in order. */
  admit(
    submissions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
  ): readonly AdmissionVerdict[] | Promise<readonly AdmissionVerdict[]> {
    const { judgeAdmission } = this.#parts
    const permitted = submissions.map((submission) => this.#permits(submission))
    if (judgeAdmission === undefined && permitted.every((verdict) => typeof verdict === 'boolean')) {
      return this.#admitAll(submissions, origin, permissionsOf(permitted))
    }
    if (this.#undecided + submissions.length > MAX_UNDECIDED) {
      const sentence = `Whether ${this.#undecided} transactions are permitted is not known yet: send this one again later.`
      return submissions.map(() => reject('POOL_BUSY', sentence))
    }
    return this.#admitLater(submissions, origin, permitted, judgeAdmission?.(submissions, origin))
  }

  get(hash: Hash): SubmittedTransaction | undefined {
    return this.#core.get(hash)?.transaction
  }

  /** The blobs of a transaction that is in the pool or was included recently. */
  blobsOf(hash: Hash): SubmittedBlobs | undefined {
    return (this.get(hash) ?? this.#recentBlobs.get(hash))?.blobs
  }

  /** Blobs by their versioned hashes, in order; undefined for an unknown one. */
  findBlobs(hashes: readonly Hash[]): readonly (SubmittedBlobs | undefined)[] {
    const known = new Map<Hash, SubmittedBlobs>()
    const waiting = Array.from(this.#core.withBlobs(), ({ transaction }) => transaction)
    for (const { blobs } of [...this.#recentBlobs.all(), ...waiting]) {
      for (const hash of blobs?.hashes ?? []) known.set(hash, blobs!)
    }
    return hashes.map((hash) => known.get(hash))
  }

  /** False for a transaction behind a missing nonce, and for one that is not in the pool. */
  isPending(hash: Hash): boolean {
    const transaction = this.get(hash)
    return transaction !== undefined && transaction.nonce < (this.nextNonce(transaction.sender) ?? 0n)
  }

  /** The next nonce of a sender; undefined if the sender has no transaction here. */
  nextNonce(address: Address): bigint | undefined {
    return this.#core.sender(address)?.nextNonce
  }

  /** A page in order of arrival. */
  list(fromArrival: number): PoolPage<number> {
    const senderOf = ({ transaction }: PoolEntry) => this.#core.sender(transaction.sender)!
    return poolPage(this.#core.entries(fromArrival), senderOf, ({ arrival }) => arrival)
  }

  /** A page of one sender's transactions by nonce. */
  listOf(address: Address, fromNonce: bigint): PoolPage<bigint> {
    const sender = this.#core.sender(address)
    if (sender === undefined) return { items: [], next: undefined }
    return poolPage(
      sender.entries(fromNonce),
      () => sender,
      ({ transaction }) => transaction.nonce,
    )
  }

  additionCount(): number {
    return this.#recentAdditions.count
  }

  /** Hashes of the transactions that arrived between two counts; the oldest are forgotten. */
  additions(from: number, to: number): readonly Hash[] {
    return this.#recentAdditions.between(from, to)
  }

  /** Explains why a transaction waits or was dropped; undefined if it is in a block, forgotten or unknown. */
  async explain(hash: Hash): Promise<PoolExplanation | undefined> {
    const found = this.#core.get(hash)
    const isPermitted = found === undefined || (await this.#permits(found.transaction))
    const entry = this.#core.get(hash)
    const sender = entry && this.#core.sender(entry.transaction.sender)
    if (entry === undefined || sender === undefined) {
      const drop = this.#recentDrops.get(hash)
      return drop && { kind: 'dropped', ...drop }
    }
    this.#refresh(sender.address)
    this.#tell()
    if (this.#core.get(hash) === undefined) return undefined
    const { chain, building } = this.#parts
    const explanation = explainEntry(entry, sender, {
      next: chain.nextBlock(),
      building: building(),
      pendingCount: this.#core.pendingCount,
      aboveSinceMs: (fee) => this.#recentBaseFees.aboveSinceMs(fee),
      isPermitted,
    })
    const { sender: from, nonce } = entry.transaction
    return { kind: 'waits', sender: from, nonce, arrivedAtMs: entry.arrivedAtMs, ...explanation }
  }

  status(): PoolStatus {
    const { size, pendingCount, localCount, senderCount, bytes } = this.#core
    return {
      pending: pendingCount,
      queued: size - pendingCount,
      local: localCount,
      remote: size - localCount,
      senders: senderCount,
      bytes,
      maxSize: this.#parts.settings.maxCount,
    }
  }

  select(order: SelectionOrder): ReturnType<CandidateSource['select']> {
    const baseFee = order.baseFeePerGas ?? 0n
    this.#core.prices.setBaseFee(baseFee)
    const admits: SelectionGate = (entry, sender) => this.#gate(entry, sender, order)
    const selection = new Selection(this.#core, baseFee, admits, order.nextNonces)
    const mayBeIn = ({ transaction }: PoolEntry) => this.#permits(transaction)
    const { judgeCandidates } = this.#parts
    const onRefused = (entry: PoolEntry, why = `The account ${entry.transaction.sender} may not send it.`) =>
      this.#note(entry, 'permission', why)
    return judgeCandidates === undefined
      ? offerPermitted(selection, mayBeIn, onRefused)
      : offerJudged(selection, { mayBeIn, judge: judgeCandidates(order), onRefused })
  }

  leftOut(candidates: readonly LeftOut[]): void {
    const toRefresh = new Set<Address>()
    for (const { hash, reason, sentence } of candidates) {
      const entry = this.#core.get(hash)
      if (entry === undefined) continue
      const fate = LEFT_OUT_FATES[reason]
      if (fate.kind === 'drops') this.#drop(entry, 'invalid', sentence)
      if (fate.kind === 'tooSlow') this.#drop(entry, 'tooSlow', sentence)
      if (fate.kind === 'timeout') this.#noteTimeout(entry, sentence)
      if (fate.kind === 'waits') this.#note(entry, fate.reason, sentence)
      if (fate.kind === 'refresh' || (fate.kind === 'waits' && fate.reason === 'balance')) {
        toRefresh.add(entry.transaction.sender)
      }
    }
    for (const address of toRefresh) this.#refresh(address)
    this.#tell()
  }

  /** Drops transactions on request. Returns how many were in the pool. */
  discard(hashes: Iterable<Hash>): number {
    const entries = [...hashes].flatMap((hash) => this.#core.get(hash) ?? [])
    for (const entry of entries) this.#drop(entry, 'discarded', 'A request dropped it.')
    this.#tell()
    return entries.length
  }

  discardAll(): void {
    this.discard(Array.from(this.#core.entries(), ({ transaction }) => transaction.hash))
  }

  /** Drops transactions that waited too long; called periodically. */
  expire(): void {
    const { clock, settings } = this.#parts
    const oldest = clock.monotonicMs() - settings.retentionMs
    for (const entry of [...this.#core.entries()]) {
      if (entry.keptSinceMs > oldest) continue
      this.#drop(entry, 'expired', 'It waited longer than the pool keeps a transaction.')
    }
    this.#tell()
  }

  /** Called after the reader that `chain` uses has the new head. Ignores head changes that arrive out of order. */
  headMoved(change: HeadChange): void {
    const { chain } = this.#parts
    const before = this.#head
    if (before !== undefined && change.sequence <= before.sequence) return
    this.#head = { sequence: change.sequence, hash: change.hash }
    const baseFee = chain.nextBlock().baseFeePerGas ?? 0n
    this.#core.prices.setBaseFee(baseFee)
    this.#recentBaseFees.add(baseFee, this.#parts.clock.wallMs())
    const isNext = before !== undefined && change.sequence === before.sequence + 1
    // Without a new block, the state of a development network was edited or reverted, and any account may differ.
    const isEdited = this.#parts.forgetsRemoved === true && change.added.length === 0
    // A syncing node has an empty pool; reading every block would then be most of main's work.
    const reading = isNext && this.#core.size > 0 && !isEdited ? readHeadChange(change) : undefined
    const moved = reading?.senders ?? Array.from(this.#core.senders(), ({ address }) => address)
    for (const address of moved) {
      if (this.#core.sender(address) !== undefined) this.#refresh(address, reading)
    }
    this.#tell()
    // After a missed head change, the chain finds the blocks that left.
    const left =
      isNext || before === undefined ? change.removed.map(({ hash }) => hash) : chain.leftSince(before.hash)
    if (!this.#parts.forgetsRemoved) for (const hash of left) this.#takeBack(hash, reading)
  }

  #permits(transaction: SubmittedTransaction): boolean | Promise<boolean> {
    return permits(this.#parts.mayTransact, transaction, this.#parts)
  }

  async #admitLater(
    submissions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
    permitted: readonly (boolean | Promise<boolean>)[],
    judged: ReturnType<JudgeAdmission> | undefined,
  ): Promise<readonly AdmissionVerdict[]> {
    this.#undecided += submissions.length
    try {
      const [arePermitted, verdicts] = await Promise.all([Promise.all(permitted), judged])
      return this.#admitAll(submissions, origin, permissionsOf(arePermitted, verdicts))
    } finally {
      this.#undecided -= submissions.length
    }
  }

  #admitAll(
    submissions: readonly SubmittedTransaction[],
    origin: TransactionOrigin,
    permissions: readonly Permission[],
  ): readonly AdmissionVerdict[] {
    const verdicts = submissions.map((submission, index) =>
      this.#admitOne(submission, origin, permissions[index]!),
    )
    this.#tell()
    return verdicts
  }

  #admitOne(
    transaction: SubmittedTransaction,
    origin: TransactionOrigin,
    permission: Permission,
  ): AdmissionVerdict {
    const { clock, chain, settings } = this.#parts
    const entry: PoolEntry = {
      transaction,
      origin,
      hasPriority: this.#hasPriority(transaction.sender, origin),
      arrival: ++this.#arrivals,
      arrivedAtMs: clock.wallMs(),
      keptSinceMs: clock.monotonicMs(),
      note: undefined,
      timeouts: 0,
    }
    const account = judgeSubmission(entry, permission, {
      core: this.#core,
      chain,
      settings,
      refresh: (sender) => this.#refresh(sender),
    })
    if ('ok' in account) return account
    const insertion = this.#core.insert(entry, account)
    if (!insertion.ok) return insertion
    if (!this.#drops.delete(transaction.hash)) this.#additions.push({ transaction, origin })
    const { replaced, evicted } = insertion
    if (replaced !== undefined) {
      const sentence = `Transaction ${transaction.hash} has the same sender and nonce and took its place.`
      this.#noteDrop({ transaction: replaced.transaction, reason: 'replaced', sentence })
    }
    const sentence = 'The pool was full, and others in it pay more.'
    for (const other of evicted)
      this.#noteDrop({ transaction: other.transaction, reason: 'evicted', sentence })
    return ADMITTED
  }

  #hasPriority(sender: Address, origin: TransactionOrigin): boolean {
    const { hasLocalPriority, prioritySenders } = this.#parts.settings
    return (hasLocalPriority && origin === 'local') || prioritySenders.has(sender)
  }

  #gate(entry: PoolEntry, sender: SenderQueue, order: SelectionOrder): GateVerdict {
    const { transaction, hasPriority, note } = entry
    const { gasLimit, maxCostWei } = transaction
    const baseFee = order.baseFeePerGas ?? 0n
    const tip = this.#core.prices.tipOf(entry, baseFee)
    // The remaining entries without priority pay no more.
    if (!this.#paysEnough(tip, baseFee, hasPriority)) return hasPriority ? 'skip' : 'end'
    if (gasLimit > order.gasLimit) return 'skip'
    if (
      transaction.blobs !== undefined &&
      transaction.blobs.version !== this.#parts.chain.sidecarVersionAt(order)
    ) {
      return 'skip'
    }
    if (note?.reason === 'balance' && sender.account.balance < maxCostWei) {
      if (this.#refresh(sender.address).balance < maxCostWei) return 'skip'
    }
    return 'take'
  }

  #paysEnough(tip: bigint, baseFee: bigint, hasPriority: boolean): boolean {
    if (tip < 0n || hasPriority) return tip >= 0n
    const { minGasPriceWei, minPriorityFeeWei } = this.#parts.building()
    return tip >= minPriorityFeeWei && baseFee + tip >= minGasPriceWei
  }

  /** Reads the account again and drops transactions whose nonce is used. */
  #refresh(address: Address, reading?: HeadReading): SenderAccount {
    const account = this.#parts.chain.account(address)
    for (const { transaction, origin } of this.#core.setAccount(address, account)) {
      const { hash, nonce } = transaction
      if (reading?.included.has(hash) || this.#parts.chain.isIncluded(hash)) {
        if (origin === 'local') this.#recentLocals.add(hash)
        this.#recentBlobs.add(transaction)
        continue
      }
      const sentence = `The chain has another transaction of its sender with nonce ${nonce}.`
      this.#noteDrop({ transaction, reason: 'nonceUsed', sentence })
    }
    return account
  }

  /** Readmits the transactions of a block that left the chain, with their origin, unless another block includes them. */
  #takeBack(block: Hash, reading: HeadReading | undefined): void {
    const { chain } = this.#parts
    const submissions = chain
      .transactionsOf(block)
      .flatMap((submission) => this.#recentBlobs.restore(submission) ?? [])
      .filter(({ hash }) => !reading?.included.has(hash) && !chain.isIncluded(hash))
    for (const { origin, run } of this.#recentLocals.runsOf(submissions)) void this.admit(run, origin)
  }

  #noteTimeout(entry: PoolEntry, sentence: string): void {
    entry.timeouts++
    if (entry.timeouts < MAX_TIMEOUTS) this.#note(entry, 'slow', sentence)
    else this.#drop(entry, 'tooSlow', `The time of ${MAX_TIMEOUTS} blocks was up while it was running.`)
  }

  #note(entry: PoolEntry, reason: NonNullable<PoolEntry['note']>['reason'], sentence: string): void {
    const sinceMs = entry.note?.reason === reason ? entry.note.sinceMs : this.#parts.clock.wallMs()
    entry.note = { reason, sentence, sinceMs }
  }

  #drop(entry: PoolEntry, reason: DropReason, sentence: string): void {
    this.#core.remove(entry)
    this.#noteDrop({ transaction: entry.transaction, reason, sentence })
  }

  #noteDrop(drop: PoolDrop): void {
    this.#drops.set(drop.transaction.hash, drop)
    // A block that is being built may contain it.
    this.#recentBlobs.add(drop.transaction)
  }

  /** Emits after all changes, so listeners find the pool in the reported state. */
  #tell(): void {
    const [additions, drops] = [this.#additions, [...this.#drops.values()]]
    this.#additions = []
    this.#drops.clear()
    for (const { transaction } of additions) this.#recentAdditions.add(transaction.hash)
    const atMs = this.#parts.clock.wallMs()
    for (const { transaction, reason, sentence } of drops)
      this.#recentDrops.set(transaction.hash, { reason, sentence, atMs })
    if (additions.length > 0) this.added.emit(additions)
    if (drops.length > 0) this.dropped.emit(drops)
  }
}

/** The transactions of a head change. */
interface HeadReading {
  /** Hashes in the added blocks. */
  readonly included: ReadonlySet<Hash>
  /** Senders in added and removed blocks, whose accounts may have changed. */
  readonly senders: ReadonlySet<Address>
}

/** Returns undefined if the change is too long to list every transaction. */
function readHeadChange({ added, removed }: HeadChange): HeadReading | undefined {
  const included = new Set<Hash>()
  const senders = new Set<Address>()
  for (const { included: bytes } of added) {
    if (bytes === undefined) return undefined
    for (const { hash, sender } of readIncluded(bytes)) {
      included.add(hash)
      senders.add(sender)
    }
  }
  for (const { included: bytes } of removed) {
    if (bytes === undefined) return undefined
    for (const { sender } of readIncluded(bytes)) senders.add(sender)
  }
  return { included, senders }
}

/** Offers the permitted transactions of a selection, synchronously if the verdict is known. */
function* offerPermitted(
  selection: Selection,
  permits: (entry: PoolEntry) => boolean | Promise<boolean>,
  onRefused: (entry: PoolEntry) => void,
): Generator<OfferedCandidate, void, undefined> {
  const judge = (entry: PoolEntry, isPermitted: boolean): Candidate | undefined => {
    if (isPermitted) return { encoded: entry.transaction.encoded, sender: entry.transaction.sender }
    onRefused(entry)
    selection.passOver()
    return undefined
  }
  for (const entry of selection.entries()) {
    const verdict = permits(entry)
    if (typeof verdict !== 'boolean') yield verdict.then((isPermitted) => judge(entry, isPermitted))
    else {
      const candidate = judge(entry, verdict)
      if (candidate !== undefined) yield candidate
    }
  }
}
