/**
 * Measures the cost of traces: the same requests to Cairn and to anvil on the same chain, the call trees stored at import,
 * and searching them in chains of several lengths.
 *
 *   npm run bench -- trace [--quick] [--growth 1000,10000]
 *
 * The comparison with anvil uses CPU time per request, of all threads of the process, which other programs affect less than
 * the rate. bench/trace-events.ts measures the trace events alone. The exit code is 1 if a goal is missed.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatData } from '#types/hex.ts'
import { findAnvil, startAnvil } from '../test/support/anvil.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { makeTraceChain, TRANSFERS, type TraceChain } from './trace-chain.ts'
import { measureGrowth } from './trace-growth.ts'
import { measureImport } from './trace-import.ts'

const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, growth: { type: 'string' } },
})

const EACH_SECONDS = values.quick ? 0.4 : 5
const IMPORTED_BLOCKS = values.quick ? 5 : 25
const GROWTH_LENGTHS = (values.growth ?? (values.quick ? '250,2500' : '1000,10000')).split(',').map(Number)
const IMPORT_ROUNDS = values.quick ? 4 : 16
const IMPORT_GOAL_PERCENT = 10
const GROWTH_GOAL = 2

interface Server {
  readonly pid: number
  readonly port: number
}

const cleanUps: (() => void)[] = []
const misses: string[] = []

async function main(): Promise<void> {
  const chain = await makeTraceChain(IMPORTED_BLOCKS)
  await compareWithAnvil(chain)
  const { percent, halves, bytesEach, microsEach } = await measureImport(chain, IMPORT_ROUNDS)
  const shownHalves = halves.map((each) => each.toFixed(1)).join(' and ')
  note(
    `import of ${TRANSFERS} transfers a block: call trees cost ${percent.toFixed(1)} % (halves of the rounds: ${shownHalves}) of ${microsEach.toFixed(0)} µs per transaction, ${bytesEach.toFixed(0)} bytes each`,
    percent < IMPORT_GOAL_PERCENT,
  )
  const micros = await measureGrowth(GROWTH_LENGTHS)
  const factor = Math.max(...micros) / Math.min(...micros)
  const shown = micros.map((each, index) => `${GROWTH_LENGTHS[index]} blocks ${each.toFixed(0)} µs`)
  note(`trace_filter, 20 hits: ${shown.join(', ')}; factor ${factor.toFixed(2)}`, factor <= GROWTH_GOAL)
  console.log(misses.length === 0 ? 'Every goal is met.' : `Goals missed: ${misses.length}.`)
  process.exitCode = misses.length === 0 ? 0 : 1
}

function note(sentence: string, isMet: boolean): void {
  if (!isMet) misses.push(sentence)
  console.log(`${sentence}  ${isMet ? 'met' : 'MISSED'}`)
}

interface Request {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
}

function requestsOn({ transactions }: TraceChain): Request[] {
  const large = transactions[1]![0]!.hash
  const replay = (types: readonly string[]): Request => ({
    name: `trace_replayBlockTransactions ${types.join()}`,
    method: 'trace_replayBlockTransactions',
    params: ['0x1', types],
  })
  return [
    { name: 'trace_block', method: 'trace_block', params: ['0x1'] },
    replay(['trace']),
    replay(['stateDiff']),
    replay(['vmTrace']),
    replay(['trace', 'stateDiff', 'vmTrace']),
    // anvil's cost grows with the square of the block size (25 transactions 85 ms, 200 about 5 s), so this is not a
    // measure of its speed.
    {
      name: 'debug_traceBlockByNumber callTracer',
      method: 'debug_traceBlockByNumber',
      params: ['0x1', { tracer: 'callTracer' }],
    },
    { name: 'debug_traceTransaction, 10 M gas', method: 'debug_traceTransaction', params: [large] },
  ]
}

async function compareWithAnvil(chain: TraceChain): Promise<void> {
  const cairn = await startCairn(chain)
  const anvil = await startFilledAnvil(chain)
  if (anvil === undefined) console.log('anvil is not installed and was not measured.')
  for (const { name, method, params } of requestsOn(chain)) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const ours = await measure(cairn, body)
    const shown = `${name}: ${describe(ours)}`
    if (anvil === undefined) {
      console.log(shown)
      continue
    }
    const theirs = await measure(anvil, body)
    const ratio = theirs.cpuMs / ours.cpuMs
    note(`${shown}; anvil ${describe(theirs)}; ${ratio.toFixed(2)} times as fast by CPU`, ratio >= 1)
  }
  for (const cleanUp of cleanUps) cleanUp()
}

interface Measured {
  readonly cpuMs: number
  readonly wallMs: number
  readonly bytes: number
}

function describe({ cpuMs, wallMs, bytes }: Measured): string {
  return `${cpuMs.toFixed(1)} ms CPU, ${wallMs.toFixed(1)} ms, ${(bytes / 1e6).toFixed(2)} MB`
}

/** Sends one request after another; the first half of the time is warm-up and does not count. */
async function measure({ pid, port }: Server, body: string): Promise<Measured> {
  const warm = performance.now() + EACH_SECONDS * 1_000
  let bytes = 0
  do bytes = await post(port, body)
  while (performance.now() < warm)
  const start = performance.now()
  const cpuStart = cpuSecondsOf(pid)
  let count = 0
  do {
    bytes = await post(port, body)
    count++
  } while (performance.now() - start < EACH_SECONDS * 1_000)
  const cpuMs = ((cpuSecondsOf(pid) - cpuStart) * 1_000) / count
  return { cpuMs: Math.max(cpuMs, 0.01), wallMs: (performance.now() - start) / count, bytes }
}

/** Returns the size of the answer without storing it; only its beginning is parsed. */
function post(port: number, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers }, (response) => {
      let bytes = 0
      let head = ''
      response.on('data', (piece: Buffer) => {
        if (bytes < 100) head += piece.subarray(0, 100).toString()
        bytes += piece.length
      })
      response.on('end', () => {
        if (head.includes('"error":{"code"')) reject(new Error(head))
        else resolve(bytes)
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function startCairn({ genesisText, blocks }: TraceChain): Promise<Server> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'trace-node.ts'), { serialization: 'advanced' })
  cleanUps.push(() => child.disconnect())
  child.send({ genesisText, blocks: blocks.slice(0, 2) })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the node ended unexpectedly')))
    child.once('message', (message) => resolve((message as { port: number }).port))
  })
  return { pid: child.pid!, port }
}

/** Mines the same transactions into the same blocks. Keeps steps, without which anvil cannot return traces. */
async function startFilledAnvil({ genesisText, transactions }: TraceChain): Promise<Server | undefined> {
  const program = findAnvil()
  if (program === undefined) return undefined
  const options = ['--hardfork', 'shanghai', '--base-fee', '0', '--gas-price', '0', '--order', 'fifo']
  const anvil = await startAnvil(program, genesisText, [...options, '--steps-tracing'])
  cleanUps.push(anvil.stop)
  for (const list of transactions.slice(0, 2)) {
    for (const { encoded } of list) await anvil.ask('eth_sendRawTransaction', formatData(encoded))
    await anvil.ask('evm_mine')
  }
  const mined = await anvil.ask<{ transactions: unknown[] }>('eth_getBlockByNumber', '0x1', false)
  if (mined.transactions.length !== TRANSFERS) throw new Error('anvil did not accept all transfers')
  return anvil
}

await main()
