/**
 * Measures a chain of millions of transactions whose old blocks are in segments: bytes, imports, reads and starts.
 *
 *   npm run bench -- long-chain --folder chains [--sizes 1000000,10000000 --pieces 1000]
 *   npm run bench -- long-chain --folder chains --only reads
 *   npm run bench -- long-chain --folder short --sizes 100000,1000000 --segment-blocks 512 --hot-blocks 256
 *
 * Blocks of 100 transfers and of 100 token transfers follow each other, in a pruned store (BONSAI) with call traces. The
 * folder keeps the chain and a copy of it at each size, so a run that was interrupted continues where it was. --pieces
 * ends the program after so many pieces of 100,000 transactions. Every piece prints its CPU time, so machines that are
 * busy now and then do not matter much. Reads ask one node per size in turn.
 */
import type { ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { offer, silentLog } from '#chain/chain.fixture.ts'
import { BlockExecutor } from '#chain/write/block-executor.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { type Chain, createChain } from '#chain/write/create-chain.ts'
import { RESTLESS } from '#chain/write/move-history.fixture.ts'
import { HistoryMover } from '#chain/write/move-history.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import { openStore } from '#store/open-store.ts'
import { SEGMENT_BLOCKS } from '#store/segments/past-blocks.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { Random } from '../test/support/random.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { extend, genesisTextOf, importInto, templateOn } from './bench-chain.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { LOGGER_CODE, NODE_KEY, RARE_HITS } from './growth-chain.ts'
import { Workload } from './import-workload.ts'
import { ask, type Server } from './read-load.ts'
import { type NodeServer, startNode, stopNode } from './read-servers.ts'
import { sizeOf } from './scale-store.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    sizes: { type: 'string', default: '1000000,10000000' },
    pieces: { type: 'string', default: '1000' },
    /** Smaller segments give a short chain as many of them as a long one has. */
    'segment-blocks': { type: 'string', default: `${SEGMENT_BLOCKS}` },
    /** Fewer than a node would keep, so a chain of a million transactions has a segment. */
    'hot-blocks': { type: 'string', default: '1000' },
    /** `reads` measures the copies of an earlier run. */
    only: { type: 'string' },
  },
})
if (values.folder === undefined) throw new Error('Name a folder for the chains with --folder.')
const folder = values.folder
const sizes = values.sizes.split(',').map(Number)

/** bench/archive.ts reads it. */
const GENESIS_FILE = 'genesis.json'
const ACCOUNTS = 10_000
const BLOCK_TRANSACTIONS = 100
const PIECE_TRANSACTIONS = 100_000
const COMMITTED_BLOCKS = 32
/** As the default of --bonsai-historical-block-limit. */
const HISTORY_BLOCKS = 512
const HOT_BLOCKS = Number(values['hot-blocks'])
const SEGMENT_SIZE = Number(values['segment-blocks'])
const IMPORTED_BLOCKS = 100
const READS = 2_000
const LOG_QUERIES = 1_000
/** The first requests of a new node cost more, because its code is not compiled yet. */
const WARM_SHARE = 0.2
const STARTS = 5

const rares = sizes.map((_, index) => parseAddress(formatData(bigintToBytes(0xbb00n + BigInt(index), 20))))
const crypto = await loadCrypto()
const workload = new Workload(ACCOUNTS, crypto)
const genesisText = genesisTextOf(
  workload,
  Object.fromEntries(rares.map((rare) => [rare, { balance: '0x0', nonce: '0x1', code: LOGGER_CODE }])),
)

function genesis(): Genesis {
  const verdict = parseGenesis(genesisText)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return verdict.genesis
}

interface Opened {
  readonly chain: Chain
  readonly executor: BlockExecutor
  readonly close: () => Promise<void>
}

async function open(dataPath: string): Promise<Opened> {
  const parsed = genesis()
  const genesisHash = genesisHashOf(parsed, crypto.keccak)
  const store = await openStore({
    path: join(dataPath, 'database'),
    format: 'BONSAI',
    historyBlocks: HISTORY_BLOCKS,
    genesisHash: hashToBytes(genesisHash),
    forks: parsed.config.forks.forks,
    log: silentLog,
  })
  const engine = await chooseEngine(process.env.CAIRN_ENGINE, silentLog)
  const parts = { store, genesis: parsed, genesisHash, crypto, clock: systemClock, log: silentLog, engine }
  const chain = await createChain({ ...parts, traceStoreEnabled: true })
  return { chain, executor: new BlockExecutor(parts), close: () => chain.close() }
}

/** The transactions of a block. The rare address of a size logs in blocks with the same distance up to that size. */
function transactionsOf(number: number): Transaction[] {
  const calls = rares.filter((_, index) => {
    const blocks = sizes[index]! / BLOCK_TRANSACTIONS
    return number <= blocks && (number + index + 1) % Math.floor(blocks / RARE_HITS) === 0
  })
  const kind = number % 2 === 0 ? 'transfers' : 'ERC-20 transfers'
  return [
    ...calls.map((rare) => workload.call(rare)),
    ...workload.transactions(kind, BLOCK_TRANSACTIONS - calls.length),
  ]
}

/** Extends the chain to a number of blocks, and moves those that are due to segments. */
async function extendTo(end: number): Promise<{ readonly seconds: number; readonly moveSeconds: number }> {
  const { chain, executor, close } = await open(join(folder, 'growing'))
  const { store } = chain
  let { head } = chain
  workload.resumeAfter(Number(head.header.number) * BLOCK_TRANSACTIONS)
  let state = store.headState()
  let batch: Parameters<typeof store.commitBlocks>[0][number][] = []
  const cpu = process.cpuUsage()
  for (let number = Number(head.header.number) + 1; number <= end; number++) {
    const transactions = transactionsOf(number)
    const { executed, leftOut } = await executor.build(templateOn(head), head, state, offer(transactions))
    if (leftOut.length > 0) throw new Error(JSON.stringify(leftOut))
    head = { hash: executed.hash, header: executed.block.header }
    state = executed.stored.state
    batch.push(executed.stored)
    if (batch.length < COMMITTED_BLOCKS && number < end) continue
    await store.commitBlocks(batch)
    batch = []
  }
  const seconds = secondsSince(cpu)
  const moving = process.cpuUsage()
  await mover(store).moveAll()
  const moveSeconds = secondsSince(moving)
  await close()
  return { seconds, moveSeconds }
}

function mover(store: Chain['store']): HistoryMover {
  const parts = { store, keccak: crypto.keccak, clock: RESTLESS, log: silentLog }
  return new HistoryMover({ ...parts, hotBlocks: HOT_BLOCKS, segmentBlocks: SEGMENT_SIZE })
}

function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

/** Imports blocks that another copy built; returns transactions per second of CPU time. */
async function importSpeed(dataPath: string): Promise<number> {
  const copy = (name: string): Promise<Opened> => {
    const path = join(folder, name)
    rmSync(path, { recursive: true, force: true })
    cpSync(dataPath, path, { recursive: true })
    return open(path)
  }
  const builder = await copy('builder')
  const importer = await copy('importer')
  const first = Number(builder.chain.head.header.number) + 1
  workload.resumeAfter((first - 1) * BLOCK_TRANSACTIONS)
  let seconds = 0
  for (let number = first; number < first + IMPORTED_BLOCKS; number++) {
    const encoded = await extend(builder.chain, transactionsOf(number))
    const cpu = process.cpuUsage()
    await importInto(importer.chain, encoded)
    seconds += secondsSince(cpu)
  }
  await builder.close()
  await importer.close()
  return (IMPORTED_BLOCKS * BLOCK_TRANSACTIONS) / seconds
}

async function make(): Promise<boolean> {
  const growing = join(folder, 'growing')
  mkdirSync(growing, { recursive: true })
  // A node does not create a key next to a chain.
  writeFileSync(join(growing, 'key'), NODE_KEY)
  const { chain, close } = await open(growing)
  let made = Number(chain.head.header.number) * BLOCK_TRANSACTIONS
  await close()
  let pieces = 0
  for (const size of sizes) {
    const copy = join(folder, String(size))
    if (existsSync(copy)) continue
    while (made < size) {
      if (pieces++ >= Number(values.pieces)) return false
      const next = Math.min(size, made + PIECE_TRANSACTIONS)
      const { seconds, moveSeconds } = await extendTo(next / BLOCK_TRANSACTIONS)
      const segments = segmentBytes(growing)
      const database = sizeOf(join(growing, 'database')) - segments
      console.log(
        `${next} transactions: ${((next - made) / seconds).toFixed(0)} per CPU second, ` +
          `moving ${moveSeconds.toFixed(0)} s, database ${megabytes(database)}, segments ${megabytes(segments)}`,
      )
      made = next
    }
    cpSync(growing, copy, { recursive: true })
  }
  return true
}

function segmentBytes(dataPath: string): number {
  const path = join(dataPath, 'database', 'segments')
  return existsSync(path) ? sizeOf(path) : 0
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

interface Reading {
  readonly size: number
  readonly rare: Address
  readonly node: NodeServer
  readonly hashes: readonly string[]
}

const children: ChildProcess[] = []

/** Starts a node and returns the CPU time of the start. */
async function startOn(size: number): Promise<{ readonly node: NodeServer; readonly cpuSeconds: number }> {
  const options = {
    'data-storage-format': 'BONSAI',
    'rpc-max-logs-range': 0,
    'rpc-http-api': ['ETH', 'TRACE'],
  } as const
  const dataPath = join(folder, String(size))
  const node = await startNode({ genesisText, blocks: [], further: [], options, dataPath })
  children.push(node.child)
  return { node, cpuSeconds: cpuSecondsOf(node.pid) }
}

async function randomHashes(server: Server, size: number): Promise<string[]> {
  const random = new Random(size, 0)
  const hashes: string[] = []
  for (let read = 0; read < READS; read++) {
    const number = formatQuantity(BigInt(1 + random.below(size / BLOCK_TRANSACTIONS)))
    const block = (await ask(server, 'eth_getBlockByNumber', number, false)) as { transactions: string[] }
    hashes.push(random.pick(block.transactions))
  }
  return hashes
}

async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

async function read(): Promise<void> {
  const starts: number[][] = sizes.map(() => [])
  for (let round = 0; round < STARTS; round++) {
    for (const [index, size] of sizes.entries()) {
      const { node, cpuSeconds } = await startOn(size)
      starts[index]!.push(cpuSeconds)
      await stopNode(node.child)
    }
  }
  tell(
    'start, seconds of CPU',
    starts.map((seconds) => Math.min(...seconds)),
    2,
  )
  const readings: Reading[] = []
  for (const [index, size] of sizes.entries()) {
    const first = await startOn(size)
    const hashes = await randomHashes(first.node, size)
    // The caches of a new node are empty.
    await stopNode(first.node.child)
    readings.push({ size, rare: rares[index]!, node: (await startOn(size)).node, hashes })
  }
  await compare('receipt', readings, READS, ({ node, hashes }, index) =>
    ask(node, 'eth_getTransactionReceipt', hashes[index]),
  )
  await compare('trace_transaction', readings, READS, ({ node, hashes }, index) =>
    ask(node, 'trace_transaction', hashes[index]),
  )
  await compare('unknown hash', readings, READS, ({ node }, index) =>
    ask(
      node,
      'eth_getTransactionReceipt',
      `0x${(BigInt(index) * 7n ** 80n + 1n).toString(16).padStart(64, '0').slice(-64)}`,
    ),
  )
  await compare(`eth_getLogs, ${RARE_HITS} hits`, readings, LOG_QUERIES, async ({ node, rare, size }) => {
    const toBlock = formatQuantity(BigInt(size / BLOCK_TRANSACTIONS))
    const logs = (await ask(node, 'eth_getLogs', { fromBlock: '0x1', toBlock, address: rare })) as unknown[]
    if (logs.length !== RARE_HITS) throw new Error(`${logs.length} logs at ${size} transactions`)
  })
  for (const { node } of readings) await stopNode(node.child)
  const speeds: number[] = []
  for (const size of sizes) speeds.push(await importSpeed(join(folder, String(size))))
  tell('import, transactions per CPU second', speeds, 0)
  const databases = sizes.map((size) => {
    const path = join(folder, String(size))
    return (sizeOf(join(path, 'database')) - segmentBytes(path)) / 1e6
  })
  tell('database, MB', databases, 1)
  tell(
    'segments, bytes per transaction',
    sizes.map((size) => segmentBytes(join(folder, String(size))) / size),
    0,
  )
}

async function compare(
  name: string,
  readings: readonly Reading[],
  amount: number,
  request: (reading: Reading, index: number) => Promise<unknown>,
): Promise<void> {
  const times: number[][] = readings.map(() => [])
  for (let index = 0; index < amount; index++) {
    for (const [at, reading] of readings.entries()) {
      const ms = await milliseconds(() => request(reading, index))
      if (index >= amount * WARM_SHARE) times[at]!.push(ms)
    }
  }
  for (const percent of [50, 99]) {
    tell(
      `${name}, p${percent} in ms`,
      times.map((each) => percentile(each, percent)),
      2,
    )
  }
}

/** The ratio is the last size to the first. */
function tell(name: string, figures: readonly number[], digits: number): void {
  const shown = figures.map((figure) => figure.toFixed(digits)).join(', ')
  console.log(`${name}: ${shown}; ratio ${(figures.at(-1)! / figures[0]!).toFixed(2)}`)
}

mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, GENESIS_FILE), genesisText)
try {
  if (values.only === 'reads' || (await make())) await read()
} finally {
  for (const child of children) child.kill()
}
