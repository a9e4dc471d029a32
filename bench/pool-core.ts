// What an operation of the pool costs, by how many transactions are inside: of many senders and of one. Each should grow as the
// logarithm of the number does. In this process alone, with a chain of nothing but nonces, which costs next to nothing.
import { createSeededRandom } from '#platform/random.ts'
import { PoolCore, type PoolLimits } from '#pool/core/pool-core.ts'
import type { PoolEntry } from '#pool/core/pool-entry.ts'
import { Selection } from '#pool/core/selection.ts'
import { addressOf, SETTINGS, submission } from '#pool/pool.fixture.ts'

const SIZES = [500, 5_000, 50_000]
const SENDERS = 5_000
/** Transactions in a block. */
const BLOCK = 500
const ROUNDS = 5
const LIMITS: PoolLimits = { ...SETTINGS, maxCount: 100_000, maxBytes: 1_000_000_000, maxGap: 100_000 }
const ACCOUNT = { balance: 1_000n, hasCode: false }

type Costs = Record<'admit' | 'replace' | 'select' | 'head moved' | 'base fee' | 'evict', number>

function entryOf(sender: number, nonce: number, fee: number, arrival: number): PoolEntry {
  const transaction = submission({ sender: addressOf(1 + sender), nonce, fee, tip: Math.floor(fee / 2) })
  const times = { arrivedAtMs: 0, keptSinceMs: 0, note: undefined, timeouts: 0 }
  return { transaction, origin: 'remote', hasPriority: false, arrival, ...times }
}

/** Microseconds per transaction. */
function measure(count: number, work: () => void): number {
  const before = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - before) / 1_000 / count
}

function insertAll(core: PoolCore, entries: readonly PoolEntry[], nonce = 0n): void {
  for (const entry of entries) {
    if (!core.insert(entry, { ...ACCOUNT, nonce }).ok) throw new Error('A transaction was not admitted.')
  }
}

function fill(size: number, senders: number): { core: PoolCore; cost: number } {
  const random = createSeededRandom(size)
  const perSender = Math.ceil(size / senders)
  const entries = Array.from({ length: size }, (_, index) =>
    entryOf(index % senders, Math.floor(index / senders), 100 + random.randomBelow(100), index),
  )
  // In any order, so that runs of nonces are joined and not only lengthened.
  for (let at = entries.length - 1; at > 0; at--) {
    const other = random.randomBelow(at + 1)
    ;[entries[at], entries[other]] = [entries[other]!, entries[at]!]
  }
  const core = new PoolCore({ ...LIMITS, maxGap: Math.max(LIMITS.maxGap, perSender) })
  core.prices.setBaseFee(50n)
  return { core, cost: measure(size, () => insertAll(core, entries)) }
}

function select(core: PoolCore, count: number): PoolEntry[] {
  const selection = new Selection(core, 50n, () => 'take')
  const chosen: PoolEntry[] = []
  for (const entry of selection.entries()) {
    chosen.push(entry)
    if (chosen.length === count) break
  }
  return chosen
}

function costsOf(size: number, senders: number): Costs {
  const { core, cost } = fill(size, senders)
  const block = Math.min(BLOCK, size / 2)
  let chosen: PoolEntry[] = []
  const selecting = measure(block, () => {
    chosen = select(core, block)
  })
  const dearer = chosen.map(({ transaction }, index) => {
    const sender = Number(transaction.sender) - 1
    return entryOf(sender, Number(transaction.nonce), Number(transaction.maxFeePerGas) * 20, size + index)
  })
  const replacing = measure(block, () => insertAll(core, dearer))
  const next = new Map<(typeof chosen)[number]['transaction']['sender'], bigint>()
  for (const { transaction } of select(core, block)) next.set(transaction.sender, transaction.nonce + 1n)
  const before = core.size
  const moving = measure(1, () => {
    for (const [sender, nonce] of next) core.setAccount(sender, { ...ACCOUNT, nonce })
  })
  const left = before - core.size
  const feeing = measure(1, () => core.prices.setBaseFee(51n))
  const worst = Math.min(block, core.size)
  const evicting = measure(worst, () => {
    for (const entry of [...core.entries()].slice(0, worst)) core.remove(entry)
  })
  return {
    admit: cost,
    replace: replacing,
    select: selecting,
    'head moved': moving / left,
    'base fee': feeing / Math.min(size, senders),
    evict: evicting,
  }
}

/** The best of several: what is above it is the machine's. */
function best(size: number, senders: number): Costs {
  const rounds = Array.from({ length: ROUNDS }, () => costsOf(size, senders))
  const names = Object.keys(rounds[0]!) as (keyof Costs)[]
  return Object.fromEntries(
    names.map((name) => [name, Math.min(...rounds.map((round) => round[name]))]),
  ) as Costs
}

console.log('microseconds per transaction (base fee: per sender), the best of 5 rounds')
for (const senders of [SENDERS, 1]) {
  for (const size of SIZES) {
    const costs = Object.entries(best(size, Math.min(size, senders))).map(
      ([name, cost]) => `${name} ${cost.toFixed(2)}`,
    )
    console.log(
      `${String(size).padStart(6)} of ${senders === 1 ? 'one sender' : `${senders} senders`}: ${costs.join(', ')}`,
    )
  }
}
