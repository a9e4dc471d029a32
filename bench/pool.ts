/*
 * Compares Cairn with other programs from a transaction's POST to its receipt: signed ether and token transfers from 100
 * senders, one POST each over 64 kept-alive connections and in batches of 100, with a block every second. The clock runs
 * from the first POST to the block with the last transaction; then every receipt is checked. All programs are started
 * first and measured in turn: cold, and warm with as many transactions again.
 *
 *   npm run bench -- pool                           all installed targets
 *   npm run bench -- pool --targets cairn,anvil --transfers 2000 --erc20 1000
 *   npm run bench -- pool --stages                  Cairn's CPU time by stage, in microseconds per transaction
 *   npm run bench -- pool --stages --warm-up 5000   the same after transactions that are not measured
 *   npm run bench -- pool --slices 5000,5000,5000   Cairn's CPU time by thread since its start
 *   npm run bench -- pool --brief                   a transfer next to a fixed reference; a stage of the gate
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Transaction } from '#types/transaction/transaction.ts'
import { cpuSecondsOf, threadSecondsOf } from './cpu-seconds.ts'
import { Connection, postAll } from './keep-alive.ts'
import { judgeBriefly, type SendAll } from './pool-brief.ts'
import { tellSlices } from './pool-slices.ts'
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
    slices: { type: 'string' },
    brief: { type: 'boolean', default: false },
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

/** Returns the number of the block with the last of them; `first` is the first block that may have some. */
async function untilIncluded(
  connection: Connection,
  hashes: ReadonlySet<string>,
  first: number,
): Promise<number> {
  const missing = new Set(hashes)
  const deadline = Date.now() + INCLUDED_MAX_MS
  for (let number = first; ; ) {
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
  { first, last }: { readonly first: number; readonly last: number },
  hashes: ReadonlySet<string>,
): Promise<void> {
  let succeeded = 0
  for (let number = first; number <= last; number++) {
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

/** Sends transactions, waits until blocks have them, and checks every receipt. */
async function run(target: PoolTarget, transactions: readonly Transaction[], mode: Mode): Promise<Run> {
  const hashes = new Set(transactions.map(({ hash }) => String(hash)))
  const connection = await Connection.open(target.port)
  const cpuBefore = cpuSecondsOf(target.pid)
  const threadsBefore = threadSecondsOf(target.pid)
  const [startMs, from] = [performance.now(), nowUs()]
  const { sentMs, first, last } = await include(connection, target, bodiesOf(transactions, mode), hashes)
  const seconds = (performance.now() - startMs) / 1_000
  const cpuSeconds = cpuSecondsOf(target.pid) - cpuBefore
  const threadSeconds = new Map(
    [...threadSecondsOf(target.pid)].map(([name, now]) => [name, now - (threadsBefore.get(name) ?? 0)]),
  )
  const span = { from, to: nowUs() }
  await requireReceipts(connection, { first, last }, hashes)
  connection.close()
  const sentSeconds = (sentMs - startMs) / 1_000
  return { seconds, sentSeconds, cpuSeconds, threadSeconds, blocks: last - first + 1, span }
}

interface Inclusion {
  readonly sentMs: number
  readonly first: number
  readonly last: number
}

async function include(
  connection: Connection,
  { port }: PoolTarget,
  bodies: readonly string[],
  hashes: ReadonlySet<string>,
): Promise<Inclusion> {
  const first = Number(await connection.ask<string>('eth_blockNumber')) + 1
  let refused: string | undefined
  await postAll(port, bodies, CONNECTIONS, (text) => {
    if (text.includes('"error"')) refused ??= text
  })
  const sentMs = performance.now()
  if (refused !== undefined) throw new Error(`A transaction was refused: ${refused.slice(0, 400)}`)
  return { sentMs, first, last: await untilIncluded(connection, hashes, first) }
}

const warmUp = Number(values['warm-up'])
const counts: Readonly<Record<PoolKind, number>> = {
  transfers: Number(values.transfers),
  'ERC-20': Number(values.erc20),
}

async function compare(starters: Readonly<Record<string, StartTarget>>): Promise<void> {
  for (const kind of ['transfers', 'ERC-20'] as const) {
    const signed = signWorkload(kind, 2 * counts[kind])
    for (const mode of ['one POST each', 'batches of 100'] as const) {
      console.log(`\n${counts[kind]} ${kind}, ${mode}`)
      const targets = new Map<string, PoolTarget>()
      for (const [name, start] of Object.entries(starters)) targets.set(name, await start({}))
      for (const [phase, transactions] of [
        ['cold', signed.slice(0, counts[kind])],
        ['warm', signed.slice(counts[kind])],
      ] as const) {
        for (const [name, target] of targets) {
          if (!(await tell(`${name} ${phase}`, target, transactions, mode))) targets.delete(name)
        }
      }
      for (const target of targets.values()) await target.stop()
    }
  }
}

/** Returns false, and stops the program, if it did not take every transaction. */
async function tell(
  name: string,
  target: PoolTarget,
  transactions: readonly Transaction[],
  mode: Mode,
): Promise<boolean> {
  try {
    const { seconds, sentSeconds, cpuSeconds, blocks } = await run(target, transactions, mode)
    const perSecond = (transactions.length / seconds).toFixed(0).padStart(6)
    const cpu = ((cpuSeconds / transactions.length) * 1e6).toFixed(0).padStart(5)
    console.log(
      `  ${name.padEnd(13)} ${perSecond} per second; CPU ${cpu} µs each; sent in ${sentSeconds.toFixed(2)} s, all included after ${seconds.toFixed(2)} s (${blocks} blocks)`,
    )
    return true
  } catch (error) {
    console.log(`  ${name.padEnd(13)} ${(error as Error).message}`)
    await target.stop()
    return false
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
const sendAll: SendAll = async (target, transactions) => {
  const connection = await Connection.open(target.port)
  const hashes = new Set(transactions.map(({ hash }) => String(hash)))
  await include(connection, target, bodiesOf(transactions, 'one POST each'), hashes)
  connection.close()
}
if (values.brief) process.exitCode = (await judgeBriefly(sendAll)) ? 0 : 1
else if (values.slices !== undefined) await tellSlices(values.slices.split(',').map(Number), sendAll)
else if (values.stages) await tellStages(all.cairn!)
else await compare(chosen)
