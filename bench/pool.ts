/*
 * Compares Cairn with other programs from a transaction's POST to its receipt: signed ether and token transfers from 100
 * senders, one POST each over 64 kept-alive connections and in batches of 100, with a block every second. The clock runs
 * from the first POST to the block with the last transaction; then every receipt is checked.
 *
 *   npm run bench -- pool                           all installed targets
 *   npm run bench -- pool --targets cairn,anvil --transfers 2000 --erc20 1000
 *   npm run bench -- pool --stages                  Cairn's CPU time by stage, in microseconds per transaction
 *   npm run bench -- pool --stages --warm-up 5000   the same after transactions that are not measured
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Transaction } from '#types/transaction/transaction.ts'
import { cpuSecondsOf, threadSecondsOf } from './cpu-seconds.ts'
import { Connection, postAll } from './keep-alive.ts'
import { type Span, stageShares } from './pool-stages.ts'
import { type PoolTarget, poolTargets, type StartTarget } from './pool-targets.ts'
import { type PoolKind, requestOf, signWorkload } from './pool-workload.ts'

const { values } = parseArgs({
  options: {
    targets: { type: 'string' },
    transfers: { type: 'string', default: '10000' },
    erc20: { type: 'string', default: '5000' },
    stages: { type: 'boolean', default: false },
    'warm-up': { type: 'string', default: '0' },
  },
})

const CONNECTIONS = 64
const BATCH = 100
const POLL_MS = 20
const INCLUDED_MAX_MS = 600_000

interface Run {
  readonly seconds: number
  readonly sentSeconds: number
  readonly cpuSeconds: number
  /** CPU time by thread name. */
  readonly threadSeconds: ReadonlyMap<string, number>
  readonly blocks: number
  /** The measured time, without the checks afterwards. */
  readonly span: Span
}

type Mode = 'one POST each' | 'batches of 100'

function bodiesOf(transactions: readonly Transaction[], mode: Mode): string[] {
  const requests = transactions.map(requestOf)
  if (mode === 'one POST each') return requests
  const bodies: string[] = []
  for (let from = 0; from < requests.length; from += BATCH) {
    bodies.push(`[${requests.slice(from, from + BATCH).join(',')}]`)
  }
  return bodies
}

interface Receipt {
  readonly status: string
  readonly transactionHash: string
}

/** Returns the number of the block with the last of them. */
async function untilIncluded(connection: Connection, hashes: ReadonlySet<string>): Promise<number> {
  const missing = new Set(hashes)
  const deadline = Date.now() + INCLUDED_MAX_MS
  for (let number = 1; ; ) {
    const block = await connection.ask<{ transactions: string[] } | null>(
      'eth_getBlockByNumber',
      `0x${number.toString(16)}`,
      false,
    )
    if (block === null) {
      if (Date.now() > deadline) throw new Error(`${missing.size} transactions were not mined.`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      continue
    }
    for (const hash of block.transactions) missing.delete(hash)
    if (missing.size === 0) return number
    number++
  }
}

async function requireReceipts(
  connection: Connection,
  last: number,
  hashes: ReadonlySet<string>,
): Promise<void> {
  let succeeded = 0
  for (let number = 1; number <= last; number++) {
    const block = await connection.ask<{ transactions: string[] }>(
      'eth_getBlockByNumber',
      `0x${number.toString(16)}`,
      false,
    )
    for (const hash of block.transactions) {
      const receipt = await connection.ask<Receipt>('eth_getTransactionReceipt', hash)
      if (receipt.status === '0x1' && hashes.has(receipt.transactionHash)) succeeded++
    }
  }
  if (succeeded !== hashes.size) throw new Error(`${succeeded} of ${hashes.size} transactions succeeded.`)
}

async function run(target: PoolTarget, transactions: readonly Transaction[], mode: Mode): Promise<Run> {
  const hashes = new Set(transactions.map(({ hash }) => String(hash)))
  const bodies = bodiesOf(transactions, mode)
  const cpuBefore = cpuSecondsOf(target.pid)
  const threadsBefore = threadSecondsOf(target.pid)
  const [startMs, from] = [performance.now(), nowUs()]
  let refused: string | undefined
  await postAll(target.port, bodies, CONNECTIONS, (text) => {
    if (text.includes('"error"')) refused ??= text
  })
  const sentSeconds = (performance.now() - startMs) / 1_000
  if (refused !== undefined) throw new Error(`A transaction was refused: ${refused.slice(0, 400)}`)
  const connection = await Connection.open(target.port)
  const blocks = await untilIncluded(connection, hashes)
  const seconds = (performance.now() - startMs) / 1_000
  const cpuSeconds = cpuSecondsOf(target.pid) - cpuBefore
  const threadSeconds = new Map(
    [...threadSecondsOf(target.pid)].map(([name, now]) => [name, now - (threadsBefore.get(name) ?? 0)]),
  )
  const span = { from, to: nowUs() }
  await requireReceipts(connection, blocks, hashes)
  connection.close()
  return { seconds, sentSeconds, cpuSeconds, threadSeconds, blocks, span }
}

const warmUp = Number(values['warm-up'])
const counts: Readonly<Record<PoolKind, number>> = {
  transfers: Number(values.transfers),
  'ERC-20': Number(values.erc20),
}

async function compare(targets: Readonly<Record<string, StartTarget>>): Promise<void> {
  for (const kind of ['transfers', 'ERC-20'] as const) {
    const transactions = signWorkload(kind, counts[kind])
    for (const mode of ['one POST each', 'batches of 100'] as const) {
      console.log(`\n${counts[kind]} ${kind}, ${mode}`)
      for (const [name, start] of Object.entries(targets)) {
        const target = await start({})
        try {
          const { seconds, sentSeconds, cpuSeconds, blocks } = await run(target, transactions, mode)
          const perSecond = (transactions.length / seconds).toFixed(0).padStart(6)
          const cpu = ((cpuSeconds / transactions.length) * 1e6).toFixed(0).padStart(5)
          console.log(
            `  ${name.padEnd(8)} ${perSecond} per second; CPU ${cpu} µs each; sent in ${sentSeconds.toFixed(2)} s, all included after ${seconds.toFixed(2)} s (${blocks} blocks)`,
          )
        } catch (error) {
          console.log(`  ${name.padEnd(8)} ${(error as Error).message}`)
        } finally {
          await target.stop()
        }
      }
    }
  }
}

/** Runs the same load with profiles of the node's threads, and prints their shares of its CPU time. */
async function tellStages(start: StartTarget): Promise<void> {
  for (const kind of ['transfers', 'ERC-20'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-stages-'))
    const signed = signWorkload(kind, warmUp + counts[kind])
    const transactions = signed.slice(warmUp)
    const target = await start({ profiles: folder, args: ['--rpc-http-api=ETH,DEBUG'] })
    if (warmUp > 0) await run(target, signed.slice(0, warmUp), 'one POST each')
    const before = await blocksOf(target)
    const { cpuSeconds, threadSeconds, span } = await run(target, transactions, 'one POST each')
    const after = await blocksOf(target)
    await target.stop()
    const eachUs = (allSeconds: number): number => (allSeconds * 1e6) / transactions.length
    const cpuUs = eachUs(cpuSeconds)
    console.log(
      `\n${counts[kind]} ${kind}, one POST each: ${cpuUs.toFixed(0)} µs of CPU for each transaction`,
    )
    const stages = [...stageShares(folder, span)].map(([stage, share]) => [stage, cpuUs * share] as const)
    const threads = [...threadSeconds].map(([name, each]) => [name, eachUs(each)] as const)
    print('by stage, from the profiles of JavaScript threads', stages)
    print(
      'by thread, from system counters; V8Worker compiles and collects, libuv-worker recovers keys',
      threads,
    )
    const [built, imported] = [after.built - before.built, after.imported - before.imported]
    console.log(`  ${built} builds for ${imported} blocks: ${(built / imported).toFixed(2)} each`)
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Blocks {
  readonly built: number
  readonly imported: number
}

async function blocksOf({ port }: PoolTarget): Promise<Blocks> {
  const connection = await Connection.open(port)
  const metrics = await connection.ask<{ blockchain: { blocks_built: number } }>('debug_metrics')
  const imported = Number(await connection.ask<string>('eth_blockNumber'))
  connection.close()
  return { built: metrics.blockchain.blocks_built, imported }
}

/** Prints the costs above zero, the highest first. */
function print(title: string, costs: readonly (readonly [string, number])[]): void {
  console.log(`  ${title}:`)
  for (const [name, us] of [...costs].sort((a, b) => b[1] - a[1])) {
    if (us >= 0.5) console.log(`    ${name.padEnd(18)} ${us.toFixed(1).padStart(7)}`)
  }
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

const all = poolTargets()
const names = values.targets?.split(',') ?? Object.keys(all)
const chosen = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))
for (const name of names) if (!(name in all)) console.log(`${name} is not installed and was skipped.`)
if (values.stages) await tellStages(all.cairn!)
else await compare(chosen)
