/**
 * Measures the cost of reads on chains of several lengths: the six calls of bench/read.ts, and the logs of a rare address.
 *
 *   npm run bench -- growth [--lengths 1000,10000,100000 --rounds 8 --folder chains --quick]
 *
 * One node per length runs at the same time, and they are asked in turn, so other programs affect all of them. The figure is
 * CPU time per call, the minimum of several rounds, because other programs only add to it. --folder keeps the chains for
 * the next run with these lengths. --quick takes half a minute. The exit code is 1 if the cost grows.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { type GrownChain, growChains, RARE_HITS } from './growth-chain.ts'
import { TOKEN } from './import-workload.ts'
import { type Call, readCalls, requestOf } from './read-calls.ts'
import { load, post } from './read-load.ts'
import { type NodeServer, startNode, stopNode } from './read-servers.ts'

const { values: flags } = parseArgs({
  options: {
    lengths: { type: 'string' },
    rounds: { type: 'string' },
    folder: { type: 'string' },
    quick: { type: 'boolean', default: false },
  },
})
const lengths = (flags.lengths ?? (flags.quick ? '1500,4500' : '1000,10000,100000')).split(',').map(Number)
const rounds = Number(flags.rounds ?? (flags.quick ? 2 : 8))

const RARE = `eth_getLogs, ${RARE_HITS} hits`
const GROWTH_MAX = 1.5
/** A round sends requests until it has cost about this much, however long that takes on a busy machine. */
const ROUND_CPU_SECONDS = flags.quick ? 0.2 : 0.5
const MIN_AMOUNT = 64
const MAX_AMOUNT = 20_000
/** A node is idle when a second costs it less than this: the database sorts recently written data. */
const REST_CPU_SECONDS = 0.1
const REST_CHECKS_MAX = 30
const WINDOW_BLOCKS = 1_000
/** More than all caches of a server hold. */
const WINDOWS_MAX = 10

interface Measured {
  readonly chain: GrownChain
  readonly node: NodeServer
  readonly calls: readonly Call[]
}

const children: ChildProcess[] = []

async function main(folder: string): Promise<void> {
  console.log(`load of the last minute ${loadavg()[0]!.toFixed(1)}`)
  const { genesisText, holders, chains } = await growChains(folder, lengths)
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'))
  children.push(generator)
  const measured: Measured[] = []
  for (const chain of chains) {
    const options = { 'data-storage-format': 'FOREST', 'rpc-max-logs-range': 0 } as const
    const node = await startNode({ genesisText, blocks: [], further: [], options, dataPath: chain.dataPath })
    children.push(node.child)
    await rest(node)
    const calls = [...readCalls(holders, chain.length), rareLogs(chain)]
    for (const call of calls) await requireResult(node, call)
    measured.push({ chain, node, calls })
  }
  let isMet = true
  for (const [index, { name }] of measured[0]!.calls.entries()) {
    const micros = await costsOf(generator, measured, index)
    const factor = growthOf(micros)
    isMet &&= factor <= GROWTH_MAX
    const shown = micros.map((each, at) => `${lengths[at]} blocks ${each.toFixed(0)} µs`).join(', ')
    console.log(
      `${name.padEnd(24)} ${shown}; factor ${factor.toFixed(2)} ${factor <= GROWTH_MAX ? 'met' : 'MISSED'}`,
    )
  }
  await sayColdLogs(measured.at(-1)!)
  for (const { node } of measured) await stopNode(node.child)
  process.exitCode = isMet ? 0 : 1
}

/** CPU time of one call on each chain, in microseconds. */
async function costsOf(
  generator: ChildProcess,
  measured: readonly Measured[],
  index: number,
): Promise<number[]> {
  const costs: number[] = measured.map(() => Number.POSITIVE_INFINITY)
  const askEach = async (amount: number): Promise<number[]> => {
    const micros: number[] = []
    for (const { node, calls } of measured) {
      micros.push((await load(generator, node, calls[index]!.bodies, 0, { amount })).cpuMicros)
    }
    return micros
  }
  // Twice, because the first request costs many times as much as later ones.
  let amount = MIN_AMOUNT
  for (let warmUp = 0; warmUp < 2; warmUp++) amount = amountFor(Math.min(...(await askEach(amount))))
  // The number of rounds is fixed: adding rounds only after a missed goal would reward luck.
  for (let round = 0; round < rounds; round++) {
    for (const [at, micros] of (await askEach(amount)).entries()) costs[at] = Math.min(costs[at]!, micros)
  }
  return costs
}

function growthOf(costs: readonly number[]): number {
  return Math.max(...costs) / Math.min(...costs)
}

function amountFor(cpuMicros: number): number {
  const amount = Math.ceil((ROUND_CPU_SECONDS * 1e6) / Math.max(1, cpuMicros))
  return Math.min(MAX_AMOUNT, Math.max(MIN_AMOUNT, amount))
}

/** Covers the first block to the last. */
function rareLogs({ length, rare }: GrownChain): Call {
  const filter = { fromBlock: '0x1', toBlock: quantity(length), address: rare }
  return { name: RARE, bodies: [requestOf('eth_getLogs', filter)] }
}

/** An error, or an answer without logs, would be cheap. Also reads the needed data into memory. */
async function requireResult({ port }: NodeServer, { name, bodies }: Call): Promise<void> {
  for (const body of bodies) {
    const { result } = (await (await post(port, body)).json()) as { result?: unknown }
    const isWhole =
      name === RARE ? Array.isArray(result) && result.length === RARE_HITS : result !== undefined
    if (!isWhole) throw new Error(`${name} answered ${JSON.stringify(result)?.slice(0, 200)}`)
  }
}

/** Ranges that were not read before: each block is read from the database and decoded. */
async function sayColdLogs({ chain, node }: Measured): Promise<void> {
  const windows = Math.min(WINDOWS_MAX, Math.floor(chain.length / WINDOW_BLOCKS) - 1)
  const start = cpuSecondsOf(node.pid)
  for (let window = 0; window < windows; window++) {
    const range = {
      fromBlock: quantity(1 + window * WINDOW_BLOCKS),
      toBlock: quantity((window + 1) * WINDOW_BLOCKS),
    }
    await (await post(node.port, requestOf('eth_getLogs', { ...range, address: TOKEN }))).text()
  }
  const micros = ((cpuSecondsOf(node.pid) - start) / (windows * WINDOW_BLOCKS)) * 1e6
  console.log(`eth_getLogs, ${windows} ranges not read before: ${micros.toFixed(0)} µs of CPU per block`)
}

async function rest({ pid }: NodeServer): Promise<void> {
  for (let check = 0; check < REST_CHECKS_MAX; check++) {
    const before = cpuSecondsOf(pid)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    if (cpuSecondsOf(pid) - before < REST_CPU_SECONDS) return
  }
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`
}

const temporary = flags.folder === undefined ? createTemporaryDirectory('cairn-bench-') : undefined
try {
  await main(flags.folder ?? temporary!.path)
} finally {
  for (const child of children) child.kill()
  temporary?.remove()
}
