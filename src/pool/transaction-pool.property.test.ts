/*
 * Compares the pool with its model through thousands of random operations: submissions in any order, blocks of selected and of
 * foreign transactions, skipped candidates, reorgs, and head changes that are lost or late.
 *
 * CAIRN_SEED repeats a run; CAIRN_POOL_OPERATIONS sets the number of operations.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LeftOutReason, selectEach } from '#chain/build/candidates.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { addressOf, FakeChain, SETTINGS, submission } from './pool.fixture.ts'
import { PoolModel } from './pool-model.fixture.ts'
import type { PoolSettings } from './read-settings.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'
import { TransactionPool } from './transaction-pool.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)
const OPERATIONS = Number(process.env.CAIRN_POOL_OPERATIONS ?? 3_000)
const SENDERS = 7
const LEFT_OUT: readonly LeftOutReason[] = [
  'BLOCK_SELECTION_TIMEOUT',
  'INVALID_SIGNATURE',
  'NONCE_TOO_HIGH',
  'NONCE_TOO_LOW',
  'TX_EVALUATION_TOO_LONG',
  'TX_TOO_LARGE_FOR_REMAINING_GAS',
  'UPFRONT_COST_EXCEEDS_BALANCE',
]

const KINDS: Readonly<Record<string, Partial<PoolSettings>>> = {
  'a small pool of a network with prices': { maxCount: 24, maxBytes: 3_500, maxGap: 12, minGasPriceWei: 3n },
  'a free network with local priority': { maxCount: 12, maxGap: 5, priceBump: 0, hasLocalPriority: true },
  'a share for each sender, and one that has priority': {
    maxCount: 16,
    maxBySender: 9,
    maxGap: 20,
    prioritySenders: new Set([addressOf(3)]),
  },
  'a pool that is never full': { maxGap: 30 },
}

for (const [index, [kind, changes]] of Object.entries(KINDS).entries()) {
  test(`${kind}: ${OPERATIONS} operations leave the pool equal to its model (CAIRN_SEED=${SEED})`, async () => {
    const walk = new Walk({ ...SETTINGS, ...changes }, SEED + index)
    for (let operation = 0; operation < OPERATIONS; operation++) {
      const said = await walk.step()
      await walk.compare(`operation ${operation}: ${said}`)
    }
  })
}

class Walk {
  readonly #random
  readonly #clock = createFakeClock()
  readonly #chain = new FakeChain()
  readonly #pool: TransactionPool
  readonly #model: PoolModel
  readonly #minGasPriceWei: bigint
  readonly #forbidden = new Set<Address>()
  /** The pool content known to listeners. */
  readonly #mirror = new Set<Hash>()
  readonly #known: SubmittedTransaction[] = []
  /** Transactions by height, for rewinding. */
  readonly #blocks: (readonly SubmittedTransaction[])[] = []

  constructor(settings: PoolSettings, seed: number) {
    this.#random = createSeededRandom(seed)
    this.#minGasPriceWei = settings.minGasPriceWei
    this.#pool = new TransactionPool({
      clock: this.#clock,
      log: createLog({ level: 'OFF' }),
      chain: this.#chain,
      settings,
      building: () => ({ minGasPriceWei: this.#minGasPriceWei, minPriorityFeeWei: 0n }),
      mayTransact: ({ sender }) => this.#mayTransact(sender),
    })
    this.#model = new PoolModel(this.#chain, settings, () => this.#clock.monotonicMs())
    this.#pool.added.subscribe((batch) => {
      for (const { transaction } of batch) this.#mirror.add(transaction.hash)
    })
    this.#pool.dropped.subscribe((batch) => {
      for (const { transaction } of batch) {
        assert.ok(this.#mirror.delete(transaction.hash), 'what is dropped was added')
        assert.ok(!this.#chain.isIncluded(transaction.hash), 'what is in the chain was not dropped')
      }
    })
    this.#pool.headMoved(this.#chain.move(0, []))
  }

  async step(): Promise<string> {
    const dice = this.#below(100)
    if (dice < 70) return await this.#submit()
    if (dice < 84) return await this.#build()
    if (dice < 90) return this.#reorganise()
    if (dice < 93) return this.#changeBaseFee()
    if (dice < 96) return this.#pay()
    if (dice < 98) return this.#permit()
    this.#clock.advance(this.#below(2_000_000))
    this.#pool.expire()
    this.#model.expire()
    return 'expire'
  }

  async compare(said: string): Promise<void> {
    const { entries } = this.#model
    for (let sender = 1; sender <= SENDERS; sender++) {
      const address = addressOf(sender)
      const next = this.#model.of(address).length === 0 ? undefined : this.#model.nextNonce(address)
      assert.equal(this.#pool.nextNonce(address), next, `${said}: next nonce of ${sender}`)
    }
    const pending = entries.filter((entry) => this.#model.isPending(entry)).length
    const status = this.#pool.status()
    assert.deepEqual([status.pending, status.queued], [pending, entries.length - pending], said)
    const local = entries.filter(({ origin }) => origin === 'local').length
    assert.equal(status.local, local, `${said}: local ones`)
    const hashes = entries.map(({ transaction }) => transaction.hash)
    for (const hash of hashes) assert.ok(this.#pool.get(hash), `${said}: ${hash} is in the pool`)
    assert.deepEqual([...this.#mirror].sort(), hashes.sort(), `${said}: what listeners know`)
    const expected = this.#model.select(this.#minGasPriceWei, (sender) => this.#mayTransact(sender))
    assert.deepEqual(await this.#select(), expected, `${said}: selection`)
  }

  async #submit(): Promise<string> {
    const batch = Array.from({ length: 1 + this.#below(4) }, () => this.#draw())
    const origin = this.#below(2) === 0 ? 'local' : 'remote'
    const verdicts = await this.#pool.admit(batch, origin)
    const said = batch.map((transaction, index) => {
      const expected = this.#model.admit(transaction, origin, this.#mayTransact(transaction.sender))
      const verdict = verdicts[index]!
      const { sender, nonce } = transaction
      assert.equal(verdict.ok ? 'ok' : verdict.reason, expected, `nonce ${nonce} of ${sender}`)
      return expected
    })
    return `submit ${said.join()}`
  }

  #draw(): SubmittedTransaction {
    if (this.#known.length > 0 && this.#below(12) === 0) return this.#known[this.#below(this.#known.length)]!
    const sender = addressOf(1 + this.#below(SENDERS))
    const base = Number(this.#chain.nonceOf(sender))
    const fee = this.#below(30)
    const drawn = submission({
      sender,
      nonce: Math.max(0, base - 1 + this.#below(this.#below(4) === 0 ? 40 : 8)),
      fee,
      tip: this.#below(fee + 1),
      cost: this.#below(1_100),
      gasLimit: 21_000 + this.#below(20_000_000) * this.#below(3),
      bytes: 50 + this.#below(200),
    })
    this.#known.push(drawn)
    return drawn
  }

  /** Builds a block of the first selected transactions, perhaps with others; the builder may leave some out. */
  async #build(): Promise<string> {
    const selected = await this.#select()
    const taken = selected.slice(0, this.#below(selected.length + 1)).map((hash) => this.#pool.get(hash)!)
    const block: SubmittedTransaction[] = []
    const leftOut: { hash: Hash; reason: LeftOutReason; sentence: string }[] = []
    const stopped = new Set<Address>()
    for (const transaction of taken) {
      const { sender, hash } = transaction
      if (this.#below(8) === 0 && !stopped.has(sender)) {
        leftOut.push({ hash, reason: LEFT_OUT[this.#below(LEFT_OUT.length)]!, sentence: '' })
        stopped.add(sender)
      } else if (stopped.has(sender)) leftOut.push({ hash, reason: 'NONCE_TOO_HIGH', sentence: '' })
      else block.push(transaction)
    }
    this.#pool.leftOut(leftOut)
    for (const { hash, reason } of leftOut) this.#model.leftOut(hash, reason)
    this.#move(0, [[...block, ...this.#foreign(block)]])
    return `build ${block.length}, left out ${leftOut.map(({ reason }) => reason).join()}`
  }

  /** A transaction that the pool never saw. */
  #foreign(block: readonly SubmittedTransaction[]): SubmittedTransaction[] {
    if (this.#below(4) > 0) return []
    const sender = addressOf(1 + this.#below(SENDERS))
    const before = block.filter((other) => other.sender === sender).length
    return [submission({ sender, nonce: Number(this.#chain.nonceOf(sender)) + before })]
  }

  #reorganise(): string {
    const removed = this.#below(Math.min(4, this.#blocks.length + 1))
    const gone = this.#blocks.slice(this.#blocks.length - removed)
    // Some removed transactions return in another block, as far as nonces allow.
    const again: SubmittedTransaction[] = []
    const stopped = new Set<Address>()
    for (const transaction of gone.flat()) {
      if (stopped.has(transaction.sender) || this.#below(3) === 0) stopped.add(transaction.sender)
      else again.push(transaction)
    }
    const added = this.#below(3) === 0 ? [] : [again]
    // Head changes may be lost or arrive late.
    const fate = this.#below(4) === 0 ? 'belated' : 'told'
    this.#move(removed, added, fate)
    return `reorganise -${removed} +${added.length}, ${fate}`
  }

  #move(removed: number, added: readonly (readonly SubmittedTransaction[])[], fate = 'told'): void {
    const gone = this.#blocks.splice(this.#blocks.length - removed, removed)
    this.#blocks.push(...added)
    const change = this.#chain.move(removed, added)
    if (fate === 'told') this.#pool.headMoved(change)
    else {
      this.#blocks.push([])
      this.#pool.headMoved(this.#chain.move(0, [[]]))
      this.#pool.headMoved(change)
    }
    for (const hash of this.#mirror) if (this.#chain.isIncluded(hash)) this.#mirror.delete(hash)
    this.#model.moved(gone.flat(), (sender) => this.#mayTransact(sender))
  }

  #changeBaseFee(): string {
    this.#chain.baseFee = BigInt(this.#below(25))
    this.#chain.gasLimit = BigInt(15_000_000 + this.#below(30_000_000))
    this.#move(0, [[]])
    return `base fee ${this.#chain.baseFee}`
  }

  #pay(): string {
    const sender = addressOf(1 + this.#below(SENDERS))
    this.#chain.balances.set(sender, (this.#chain.balances.get(sender) ?? 1_000n) + BigInt(this.#below(100)))
    return 'pay'
  }

  #permit(): string {
    const sender = addressOf(1 + this.#below(SENDERS))
    if (!this.#forbidden.delete(sender)) this.#forbidden.add(sender)
    return 'permit or forbid'
  }

  #mayTransact(sender: Address): boolean {
    return !this.#forbidden.has(sender)
  }

  async #select(): Promise<Hash[]> {
    const hashes: Hash[] = []
    const byEncoded = new Map(
      this.#model.entries.map(({ transaction }) => [transaction.encoded, transaction.hash]),
    )
    const order = {
      parent: addressOf(0) as unknown as Hash,
      number: 1n,
      timestamp: 0n,
      gasLimit: this.#chain.gasLimit,
      baseFeePerGas: this.#chain.baseFee,
      deadlineAtMs: 0,
      signal: new AbortController().signal,
      nextNonces: new Map(),
    }
    for await (const { encoded } of selectEach(this.#pool, order)) hashes.push(byEncoded.get(encoded)!)
    for await (const { encoded } of selectEach(this.#pool, order)) {
      assert.ok(!hashes.includes(byEncoded.get(encoded)!), 'No transaction is offered twice for a block.')
    }
    return hashes
  }

  #below(limit: number): number {
    return this.#random.randomBelow(limit)
  }
}
