/**
 * Reads past and present states of a chain that is larger than the available memory.
 *
 *   npm run bench -- state [--blocks 100000 --seconds 300 --holders 50000 --cache 128 --quick --strict]
 *
 * The script limits the heap to 256 MB; --cache (MB) is the database's own memory in addition. It fills an archive (FOREST)
 * and a pruned store (BONSAI) with the same chain, several blocks per batch, for a share of --seconds each; when the time is
 * up it continues with the blocks so far. --quick is the form for CI. Missed goals fail the run only with --strict. The
 * operating system's file cache is not cleared, so reads are as warm as memory permits.
 */

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { ClassicLevel } from 'classic-level'
import { createLog } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import type { NewBlock, StateVersion, StorageFormat } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { threadCpuMs } from './cpu-seconds.ts'
import { StateChain } from './state-chain.ts'
import { CONTROL, READER, type ReaderInput } from './state-reader.ts'

const { values: flags } = parseArgs({
  options: {
    blocks: { type: 'string' },
    seconds: { type: 'string' },
    holders: { type: 'string' },
    cache: { type: 'string', default: '128' },
    quick: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
  },
})
const MB = 1024 * 1024
const blocks = Number(flags.blocks ?? (flags.quick ? 3_000 : 100_000))
const seconds = Number(flags.seconds ?? (flags.quick ? 16 : 300))
const holders = Number(flags.holders ?? (flags.quick ? 10_000 : 50_000))
const cacheBytes = Number(flags.cache) * MB

/** Shares of --seconds. */
const ARCHIVE_SHARE = 0.6
const PRUNED_SHARE = 0.25
const COMMITS_SHARE = 0.15
const TRANSACTIONS = 10
const FILL_BATCH_BLOCKS = 50
const HISTORY_BLOCKS = 512
const BACK_BLOCKS = 500
const READS = 5_000
const WARM_UP_READS = 500
const LARGE_BLOCK_TRANSACTIONS = 200
const ROUND_COMMITS = 15
const ROUNDS_MAX = 20
/** The database is idle when its folder has not changed in size for this long. */
const REST_MS = 1_000
const REST_MAX_MS = flags.quick ? 2_000 : 20_000
const COPY = 'FOREST-copy'
const COMPACTED = ' after compaction'
const GOAL_READ_RATIO = 3
const GOAL_COMMIT_RATIO = 1.2

const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-state-'))
const log = createLog({ level: 'ERROR', fd: 2 })
const forks = [{ name: 'frontier', trigger: 'block', from: 0n }] as const
const say = (text: string) => process.stdout.write(`${text}\n`)
let missed = 0

try {
  await main()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (flags.strict && missed > 0) process.exitCode = 1

async function main(): Promise<void> {
  say(`${availableParallelism()} cores, load of the last minute ${loadavg()[0]!.toFixed(1)}.`)
  const archive = await fill('FOREST', ARCHIVE_SHARE)
  // Only the copy is compacted, for its size: reads are timed on files as a running node has them.
  cpSync(pathOf('FOREST'), pathOf(COPY), { recursive: true })
  const store = await open('FOREST', archive.chain)
  await rest('FOREST')
  saySize('FOREST', archive, directoryBytes('FOREST'))
  timeReads(store, archive.chain)
  sayMemory()
  await timeCommits(store, archive.chain)
  await store.close()
  await compact(COPY)
  saySize('FOREST', archive, directoryBytes(COPY), COMPACTED)

  const pruned = await fill('BONSAI', PRUNED_SHARE)
  await (await open('BONSAI', pruned.chain)).close()
  saySize('BONSAI', pruned, directoryBytes('BONSAI'))
  await compact('BONSAI')
  saySize('BONSAI', pruned, directoryBytes('BONSAI'), COMPACTED)
  say(`Most memory of the process at any time: ${megabytes(process.resourceUsage().maxRSS * 1024)}.`)
  say(missed === 0 ? 'All goals are met.' : `Goals missed: ${missed}.`)
}

type Directory = StorageFormat | typeof COPY

interface Filled {
  readonly chain: StateChain
  readonly transactions: number
  /** Disk bytes with only block 0. */
  readonly genesisBytes: number
}

async function fill(format: StorageFormat, share: number): Promise<Filled> {
  const chain = new StateChain({ seed: 1, holders, blocks, transactions: TRANSACTIONS })
  const empty = await open(format, chain)
  await empty.commitBlocks([chain.genesis(empty)])
  await empty.close()
  const store = await open(format, chain)
  const genesisBytes = directoryBytes(format)
  const startedAt = performance.now()
  const isTimeUp = () => performance.now() - startedAt > seconds * share * 1000
  while (chain.next <= blocks && !isTimeUp()) {
    const batch: NewBlock[] = []
    let parent: StateVersion = store.headState()
    while (batch.length < FILL_BATCH_BLOCKS && chain.next <= blocks) {
      const block = chain.transfers(store, parent)
      parent = block.state
      batch.push(block)
    }
    await store.commitBlocks(batch)
  }
  await store.close()
  const made = chain.next - 1
  const took = (performance.now() - startedAt) / 1000
  say(
    `${format}: ${made} blocks of ${TRANSACTIONS} transactions written in ${took.toFixed(0)} s ` +
      `(${((made * TRANSACTIONS) / took).toFixed(0)} transactions per second)` +
      `${made < blocks ? `; time ran out before ${blocks}` : ''}.`,
  )
  return { chain, transactions: made * TRANSACTIONS, genesisBytes }
}

function open(format: StorageFormat, { genesisHash }: StateChain): Promise<Store> {
  const path = pathOf(format)
  return openStore({ path, format, historyBlocks: HISTORY_BLOCKS, genesisHash, forks, log, cacheBytes })
}

/** Waits while the database still sorts recent writes, which are not part of the measured load. */
async function rest(directory: Directory): Promise<void> {
  const startedAt = performance.now()
  for (let before = -1; performance.now() - startedAt < REST_MAX_MS; ) {
    const bytes = directoryBytes(directory)
    if (bytes === before) return
    before = bytes
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
  }
}

async function compact(directory: Directory): Promise<void> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(pathOf(directory), {
    keyEncoding: 'view',
    valueEncoding: 'view',
    compression: false,
  })
  await level.open()
  await level.compactRange(Uint8Array.of(0), new Uint8Array(64).fill(0xff))
  await level.close()
}

function saySize(format: StorageFormat, filled: Filled, bytes: number, when = ''): void {
  const perTransaction = ((bytes - filled.genesisBytes) / filled.transactions).toFixed(0)
  const cap = heapCapBytes()
  say(
    `${format} on disk: ${megabytes(bytes)}, ${perTransaction} bytes per transaction beyond block 0${when}; ` +
      `${(bytes / cap).toFixed(1)} times the heap limit (${megabytes(cap)}), cache ${megabytes(cacheBytes)}.`,
  )
}

/** The limit given to node; otherwise V8's limit, which includes room for the young generation. */
function heapCapBytes(): number {
  const given = process.execArgv.map((text) => /^--max-old-space-size=(\d+)$/.exec(text)?.[1]).find(Boolean)
  return given === undefined ? getHeapStatistics().heap_size_limit : Number(given) * MB
}

function sayMemory(): void {
  const { heapUsed, external } = process.memoryUsage()
  const status = readFileSync('/proc/self/status', 'utf8')
  const ofKind = (name: string) =>
    megabytes(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024)
  say(
    `Memory after the reads: heap ${megabytes(heapUsed)}, buffers outside it ${megabytes(external)}; ` +
      `of the process ${ofKind('RssAnon')} its own, ${ofKind('RssFile')} mapped files.`,
  )
}

function timeReads(store: Store, chain: StateChain): void {
  const head = chain.next - 1
  const heights = [
    { name: 'at the head', block: head },
    { name: `${BACK_BLOCKS} blocks back`, block: Math.max(1, head - BACK_BLOCKS) },
    { name: 'at block 1', block: 1 },
  ].map((height) => ({
    ...height,
    state: store.stateAt(height.block),
    expected: chain.balancesAt(height.block),
    times: [] as number[],
    busiest: [] as number[],
  }))
  // Alternates between heights, so other work on this machine affects all of them.
  for (let index = 0; index < READS + WARM_UP_READS; index++) {
    for (const { name, block, state, expected, times, busiest } of heights) {
      const holder = chain.pick()
      const address = chain.address(holder)
      const startedAt = performance.now()
      const balance = state.account(address)?.balance
      const readAt = performance.now()
      const minerBalance = state.account(chain.miner)?.balance
      const minerReadAt = performance.now()
      if (balance !== expected(holder) || minerBalance !== BigInt(block) * 10n ** 15n)
        throw new Error(`The balance of holder ${holder} or of the miner ${name} is wrong.`)
      if (index < WARM_UP_READS) continue
      times.push((readAt - startedAt) * 1000)
      busiest.push((minerReadAt - readAt) * 1000)
    }
  }
  const medians = heights.map(({ times }) => quantile(times, 0.5))
  for (const { name, block, times, busiest } of heights)
    say(
      `Balance ${name} (block ${block}): p50 ${quantile(times, 0.5).toFixed(2)} us, ` +
        `p99 ${quantile(times, 0.99).toFixed(2)} us; of an account that every block changes p50 ` +
        `${quantile(busiest, 0.5).toFixed(2)} us.`,
    )
  const sent = chain.sentBy()
  const changes = Array.from({ length: READS }, () => sent[chain.pick()]!)
  say(`The accounts read had changed ${quantile(changes, 0.5)} times (median).`)
  sayGoal('Slowest height to fastest', Math.max(...medians) / Math.min(...medians), GOAL_READ_RATIO)
}

interface Round {
  /** Medians of the round in ms: commitBlocks, this thread's CPU time in it, and deriving the state. */
  readonly commit: number
  readonly cpu: number
  readonly derive: number
}

async function timeCommits(store: Store, chain: StateChain): Promise<void> {
  const control = new SharedArrayBuffer(8)
  const cells = new Int32Array(control)
  const { addresses } = chain
  const workerData: ReaderInput = {
    path: pathOf('FOREST'),
    historyBlocks: HISTORY_BLOCKS,
    cacheBytes,
    addresses,
    control,
  }
  const worker = new Worker(new URL('./state-reader.ts', import.meta.url), { workerData })
  const stopped = new Promise((resolve) => worker.once('exit', resolve))
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  const order = (value: number) => {
    Atomics.store(cells, CONTROL.order, value)
    Atomics.notify(cells, CONTROL.order)
  }
  const alone: Round[] = []
  const spinning: Round[] = []
  const beside: Round[] = []
  let readingMs = 0
  await commitRound(store, chain)
  const startedAt = performance.now()
  const isTimeUp = () => performance.now() - startedAt > seconds * COMMITS_SHARE * 1000
  while (alone.length < ROUNDS_MAX && (alone.length === 0 || !isTimeUp())) {
    alone.push(await commitRound(store, chain))
    order(READER.spin)
    spinning.push(await commitRound(store, chain))
    order(READER.read)
    const readingAt = performance.now()
    beside.push(await commitRound(store, chain))
    readingMs += performance.now() - readingAt
    order(READER.wait)
  }
  order(READER.stop)
  await stopped
  const readsPerSecond = (Atomics.load(cells, CONTROL.reads) / readingMs) * 1000
  say(
    `Commits of ${LARGE_BLOCK_TRANSACTIONS}-transaction blocks, ${alone.length} rounds of ${ROUND_COMMITS} each way, ` +
      `medians: alone ${describe(alone)}; next to a computing thread ${describe(spinning)}; next to a thread that reads ${readsPerSecond.toFixed(0)} balances per ` +
      `second ${describe(beside)}.`,
  )
  const slowest = medianOf(beside, 'commit')
  say(
    `Commit next to the reader to commit next to a computing thread: ${(slowest / medianOf(spinning, 'commit')).toFixed(2)}.`,
  )
  const ratio = slowest / medianOf(alone, 'commit')
  sayGoal('Commit next to the reader to commit alone', ratio, GOAL_COMMIT_RATIO)
}

async function commitRound(store: Store, chain: StateChain): Promise<Round> {
  const times: { readonly [name in keyof Round]: number[] } = { commit: [], cpu: [], derive: [] }
  for (let index = 0; index < ROUND_COMMITS; index++) {
    const derivingAt = performance.now()
    const block = chain.transfers(store, store.headState(), LARGE_BLOCK_TRANSACTIONS)
    const [startedAt, cpuAtStart] = [performance.now(), threadCpuMs()]
    await store.commitBlocks([block])
    times.commit.push(performance.now() - startedAt)
    times.cpu.push(threadCpuMs() - cpuAtStart)
    times.derive.push(startedAt - derivingAt)
  }
  const { commit, cpu, derive } = times
  return { commit: quantile(commit, 0.5), cpu: quantile(cpu, 0.5), derive: quantile(derive, 0.5) }
}

function describe(rounds: readonly Round[]): string {
  const [commit, cpu, derive] = (['commit', 'cpu', 'derive'] as const).map((name) =>
    medianOf(rounds, name).toFixed(2),
  )
  return `${commit} ms (writer CPU ${cpu} ms; building the block and its root ${derive} ms)`
}

function medianOf(rounds: readonly Round[], name: keyof Round): number {
  const values = rounds.map((round) => round[name])
  return quantile(values, 0.5)
}

function sayGoal(what: string, ratio: number, goal: number): void {
  const isMet = ratio <= goal
  if (!isMet) missed++
  say(`${what}: ${ratio.toFixed(2)} (goal: at most ${goal}; ${isMet ? 'met' : 'MISSED'}).`)
}

function pathOf(directory: Directory): string {
  return join(folder, directory)
}

function directoryBytes(directory: Directory): number {
  // A file may disappear while the database compacts.
  const sizeOf = (file: string) =>
    statSync(join(pathOf(directory), file), { throwIfNoEntry: false })?.size ?? 0
  return readdirSync(pathOf(directory)).reduce((sum, file) => sum + sizeOf(file), 0)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(0)} MB`
}
