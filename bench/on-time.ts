/*
 * Measures whether blocks come on time: a validator with a block every second accepts signed ether and token transfers, one
 * POST each over 64 connections, as fast as it answers, while its engine threads only produce vmTraces. A block counts from
 * the log line about its seals.
 *
 *   npm run bench -- on-time                             100 blocks, of which 99 come within a tenth of the period
 *   npm run bench -- on-time --blocks 12 --rate 200 --tolerance 50 --least 60
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { watchMachine } from '../test/support/busy-machine.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { readTraces } from './engine-load.ts'
import { Connection, untilMs } from './keep-alive.ts'
import { type PoolTarget, startCairn } from './pool-targets.ts'
import type { SigningOrder } from './sign-mixed.ts'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '100' },
    /** Maximum transactions per second; without it as many as the node accepts. */
    rate: { type: 'string' },
    /** The number of transactions signed in advance; when all are sent, blocks are empty. */
    signed: { type: 'string', default: '150000' },
    /** The allowed deviation from the period, in percent. */
    tolerance: { type: 'string', default: '10' },
    /** The minimum percentage of blocks within it. */
    least: { type: 'string', default: '99' },
    /** Both limits for a busy machine, in percent, where the others say more about other programs than about the node. */
    gross: { type: 'string' },
  },
})

const BLOCKS = Number(values.blocks)
const PERIOD_MS = 1_000
const CONNECTIONS = 64
const ENGINE_THREADS = 1
const TRACES_PER_ENGINE = 2
const SEALED = 'Imported block'
const TOLERANCES = [5, 10, 20, 50, 100]

/** Signed in advance, because signing takes as long as all of the node's work. */
async function signAll(count: number): Promise<string[]> {
  const workers = availableParallelism()
  const parts = await Promise.all(
    Array.from({ length: workers }, (_, from) => {
      const workerData: SigningOrder = { from, to: count, step: workers }
      const worker = new Worker(new URL('./sign-mixed.ts', import.meta.url), { workerData })
      return new Promise<string[]>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      })
    }),
  )
  return Array.from({ length: count }, (_, index) => parts[index % workers]![Math.floor(index / workers)]!)
}

/** Ends with the signal, or when all are sent; returns the number sent. */
async function sendAll(port: number, bodies: readonly string[], signal: AbortSignal): Promise<number> {
  const beganMs = performance.now()
  let sent = 0
  const lanes = Array.from({ length: CONNECTIONS }, async () => {
    const connection = await Connection.open(port)
    while (sent < bodies.length && !signal.aborted) {
      const index = sent++
      if (values.rate !== undefined) await untilMs(beganMs + (index * 1_000) / Number(values.rate))
      const answer = await connection.post(bodies[index]!)
      if (answer.includes('"error"')) throw new Error(`A transaction was refused: ${answer.slice(0, 400)}`)
    }
    connection.close()
  })
  await Promise.all(lanes)
  return sent
}

/** Milliseconds between blocks under the complete load. */
async function measure(
  bodies: readonly string[],
): Promise<{ readonly intervals: readonly number[]; readonly isBusy: boolean }> {
  const sealedAtMs: number[] = []
  const enough = Promise.withResolvers<void>()
  const onLine = (line: string): void => {
    if (!line.includes(SEALED)) return
    sealedAtMs.push(Date.parse((JSON.parse(line) as { readonly time: string }).time))
    if (sealedAtMs.length > BLOCKS) enough.resolve()
  }
  const target: PoolTarget = await startCairn({
    args: ['--rpc-http-api=ETH,TRACE', `--rpc-engine-threads=${ENGINE_THREADS}`],
    onLine,
  })
  const machine = watchMachine(target.pid)
  let isBusy = false
  try {
    const ending = new AbortController()
    const traces = Array.from({ length: ENGINE_THREADS * TRACES_PER_ENGINE }, () =>
      readTraces(target.port, ending.signal),
    )
    const sending = sendAll(target.port, bodies, ending.signal)
    // Counted from here: earlier blocks had no load.
    sealedAtMs.length = 0
    const beganMs = performance.now()
    await Promise.race([enough.promise, ...traces, sending.then(() => enough.promise)])
    ending.abort()
    const seconds = (performance.now() - beganMs) / 1_000
    isBusy = machine.isBusy({ diagnostic: console.log })
    const sent = await sending
    const megabytes = (await Promise.all(traces)).reduce((sum, each) => sum + each, 0)
    console.log(
      `${sent} transactions and ${megabytes.toFixed(0)} MB of vmTraces in ${seconds.toFixed(0)} s${sent === bodies.length ? ': all that were signed' : ''}`,
    )
  } finally {
    await target.stop()
  }
  const intervals = sealedAtMs.slice(1, BLOCKS + 1).map((atMs, index) => atMs - sealedAtMs[index]!)
  return { intervals, isBusy }
}

function judge(intervals: readonly number[], isBusy: boolean): boolean {
  const within = (percent: number): number =>
    intervals.filter((each) => Math.abs(each - PERIOD_MS) * 100 <= percent * PERIOD_MS).length
  const shown = [0, 1, 5, 25, 50, 75, 95, 99, 100].map((each) => `p${each} ${percentile(intervals, each)}`)
  console.log(`milliseconds between blocks: ${shown.join(', ')}`)
  for (const percent of TOLERANCES) {
    console.log(`${within(percent)} of ${intervals.length} blocks within ${percent} % of the period`)
  }
  const [tolerance, least] =
    isBusy && values.gross !== undefined ? [values.gross, values.gross] : [values.tolerance, values.least]
  const isMet = within(Number(tolerance)) * 100 >= Number(least) * intervals.length
  if (!isMet) console.log(`fewer than ${least} of 100 blocks are within ${tolerance} % of the period`)
  return isMet
}

const bodies = await signAll(
  values.rate === undefined ? Number(values.signed) : Number(values.rate) * BLOCKS * 2,
)
const { intervals, isBusy } = await measure(bodies)
if (!judge(intervals, isBusy)) process.exitCode = 1
