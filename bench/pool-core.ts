// Measures what a pool operation costs by the number of transactions in the pool, from 5,000 senders and from one.
// Costs must grow like the logarithm of that number; if one grows much faster, the exit code is 1. Everything runs in
// this process, on a chain that has only nonces. The figure is CPU time, the minimum of many rounds with the sizes in
// turn, so other programs and the garbage collector count little.
import { BoundedMap } from '#platform/bounded-map.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { PoolCore, type PoolLimits } from '#pool/core/pool-core.ts'
import type { PoolEntry } from '#pool/core/pool-entry.ts'
import { Selection } from '#pool/core/selection.ts'
import { addressOf, SETTINGS, submission } from '#pool/pool.fixture.ts'
import type { Address } from '#types/address.ts'

const SIZES = [500, 5_000, 50_000]
const SENDERS = [5_000, 1]
/** Transactions per measured operation. */
const BLOCK = 250
const WARMING_ROUNDS = 3
const ROUNDS = 15
/**
 * The limit for a pool a hundred times as large. The logarithm grows 1.7 times. Memory outside the CPU caches costs
 * several times more, once, so the limit is the growth of the square root.
 */
const MAX_GROWTH = 10
const LIMITS: PoolLimits = { ...SETTINGS, maxCount: 100_000, maxBytes: 1_000_000_000, maxGap: 100_000 }
/** Limits of the maps that remember transactions which left the pool or were announced. */
const REMEMBERED = [4_096, 32_768, 131_072]
const ACCOUNT = { balance: 1_000n, hasCode: false }
const BASE_FEE = 50n

const OPERATIONS = ['admit', 'replace', 'select', 'head moved', 'evict'] as const
type Costs = Record<(typeof OPERATIONS)[number], number>

function entryOf(sender: number, nonce: number, fee: number, arrival: number): PoolEntry {
  const transaction = submission({ sender: addressOf(1 + sender), nonce, fee, tip: Math.floor(fee / 2) })
  const times = { arrivedAtMs: 0, keptSinceMs: 0, note: undefined, timeouts: 0 }
  return { transaction, origin: 'remote', hasPriority: false, arrival, ...times }
}

/** Microseconds of processor time per transaction. */
function measure(count: number, work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

function insertAll(core: PoolCore, entries: readonly PoolEntry[]): void {
  for (const entry of entries) {
    if (!core.insert(entry, { ...ACCOUNT, nonce: 0n }).ok) throw new Error('A transaction was not admitted.')
  }
}

/** In random order, so runs of nonces are joined and not only extended. */
function shuffled(size: number, senders: number): readonly PoolEntry[] {
  const random = createSeededRandom(size)
  const entries = Array.from({ length: size }, (_, index) =>
    entryOf(index % senders, Math.floor(index / senders), 100 + random.randomBelow(100), index),
  )
  for (let at = entries.length - 1; at > 0; at--) {
    const other = random.randomBelow(at + 1)
    ;[entries[at], entries[other]] = [entries[other]!, entries[at]!]
  }
  return entries
}

function select(core: PoolCore, count: number): PoolEntry[] {
  const selection = new Selection(core, BASE_FEE, () => 'take')
  const chosen: PoolEntry[] = []
  for (const entry of selection.entries()) {
    chosen.push(entry)
    if (chosen.length === count) break
  }
  return chosen
}

function costsOf(size: number, senders: number): Costs {
  const core = new PoolCore(LIMITS)
  core.prices.setBaseFee(BASE_FEE)
  const entries = shuffled(size, senders)
  insertAll(core, entries.slice(BLOCK))
  const admit = measure(BLOCK, () => insertAll(core, entries.slice(0, BLOCK)))
  let chosen: PoolEntry[] = []
  const selecting = measure(BLOCK, () => {
    chosen = select(core, BLOCK)
  })
  const dearer = chosen.map(({ transaction }, index) => {
    const sender = Number(transaction.sender) - 1
    return entryOf(sender, Number(transaction.nonce), Number(transaction.maxFeePerGas) * 20, size + index)
  })
  const replace = measure(BLOCK, () => insertAll(core, dearer))
  const next = new Map<Address, bigint>()
  for (const { transaction } of select(core, BLOCK)) next.set(transaction.sender, transaction.nonce + 1n)
  const headMoved = measure(BLOCK, () => {
    core.prices.setBaseFee(BASE_FEE + 1n)
    for (const [sender, nonce] of next) core.setAccount(sender, { ...ACCOUNT, nonce })
  })
  if (core.size !== size - BLOCK) throw new Error('The block did not remove its transactions from the pool.')
  const leaving = [...core.entries()].slice(0, BLOCK)
  const evict = measure(leaving.length, () => {
    for (const entry of leaving) core.remove(entry)
  })
  return { admit, replace, select: selecting, 'head moved': headMoved, evict }
}

function least(rounds: readonly Costs[]): Costs {
  const ofEach = OPERATIONS.map((name) => [name, Math.min(...rounds.map((round) => round[name]))])
  return Object.fromEntries(ofEach) as Costs
}

function show(costs: Costs): string {
  return OPERATIONS.map((name) => `${name} ${costs[name].toFixed(2)}`).join(', ')
}

console.log(`microseconds per transaction, minimum of ${ROUNDS} rounds`)
for (const senders of SENDERS) {
  const rounds = SIZES.map((): Costs[] => [])
  for (let round = 0; round < WARMING_ROUNDS + ROUNDS; round++) {
    for (const [at, size] of SIZES.entries()) {
      const costs = costsOf(size, Math.min(size, senders))
      if (round >= WARMING_ROUNDS) rounds[at]!.push(costs)
    }
  }
  const best = rounds.map(least)
  const who = senders === 1 ? 'one sender' : `${senders} senders`
  for (const [at, size] of SIZES.entries())
    console.log(`${String(size).padStart(6)} of ${who}: ${show(best[at]!)}`)
  const [smallest, largest] = [best[0]!, best.at(-1)!]
  const growth = Object.fromEntries(OPERATIONS.map((name) => [name, largest[name] / smallest[name]])) as Costs
  const isLogarithmic = OPERATIONS.every((name) => growth[name] <= MAX_GROWTH)
  const verdict = isLogarithmic ? 'O(log n)' : `not O(log n): more than ${MAX_GROWTH} times`
  console.log(`  growth of the cost for a pool 100 times as large: ${show(growth)}: ${verdict}`)
  if (!isLogarithmic) process.exitCode = 1
}

/** Microseconds per new key in a map that is always full. */
function rememberCost(max: number): number {
  const random = createSeededRandom(max)
  const keys = Array.from({ length: 2 * max }, () => Buffer.from(random.randomBytes(32)).toString('hex'))
  const map = new BoundedMap<string, true>(max)
  for (const key of keys.slice(max)) map.set(key, true)
  return Math.min(
    ...Array.from({ length: ROUNDS }, () =>
      measure(keys.length, () => {
        for (const key of keys) map.set(key, true)
      }),
    ),
  )
}

const remembering = REMEMBERED.map(rememberCost)
const costs = remembering.map((cost, at) => `${cost.toFixed(2)} at ${REMEMBERED[at]}`)
console.log(`microseconds to remember a hash in a full map: ${costs.join(', ')}`)
if (remembering.at(-1)! > MAX_GROWTH * remembering[0]!) process.exitCode = 1
