/**
 * Ten threads with the native engine, one session each at a time: the same random blocks on every thread, over and over,
 * some of which are cancelled or lose their state. All must say the same each time, and memory must not grow.
 *
 *   npm run nightly -- soak-native [--seconds 600] [--threads 10] [--seed 1]
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    threads: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const seconds = Number(values.seconds)
const SAMPLE_MS = 500
/** A long run says once a minute where it is. */
const SAMPLES_PER_REPORT = 120
/** Of the memory half-way, in the second half: heaps of V8 breathe that much. */
const MAX_GROWTH = 0.25
/** Left to itself each thread lets its heap grow for minutes before it collects, and a leak does not show beside that. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 }

export interface SoakReport {
  readonly blocks: number
  /** Of each block when it was first run. */
  readonly digests: readonly string[]
  /** Blocks that ended differently when they were run again. */
  readonly changed: number
}

const workers = Array.from({ length: Number(values.threads) }, () => {
  const workerData = { seed: Number(values.seed), seconds }
  return new Worker(new URL('./soak-thread.ts', import.meta.url), { workerData, resourceLimits })
})
// Once all have run every block, there is nothing left that they would have to keep.
await Promise.all(workers.map((worker) => once(worker, 'message')))
const samples: { readonly at: number; readonly megabytes: number }[] = []
const begun = performance.now()
const sampler = setInterval(() => {
  const at = (performance.now() - begun) / 1000
  const megabytes = process.memoryUsage.rss() / 2 ** 20
  samples.push({ at, megabytes })
  if (samples.length % SAMPLES_PER_REPORT === 0)
    console.log(`${at.toFixed(0)} s: RSS ${megabytes.toFixed(0)} MB`)
}, SAMPLE_MS)
const reports = await Promise.all(
  workers.map(async (worker) => {
    worker.postMessage('go')
    // What a thread held is gone once it ends, and would look like the opposite of a leak.
    worker.once('message', () => clearInterval(sampler))
    // Both at once: the last message and the exit may come together.
    const [[report]] = await Promise.all([
      once(worker, 'message') as Promise<[SoakReport]>,
      once(worker, 'exit'),
    ])
    return report
  }),
)

const fewest = Math.min(...reports.map(({ digests }) => digests.length))
const differing = Array.from({ length: fewest }, (_, index) => index).filter(
  (index) => new Set(reports.map(({ digests }) => digests[index])).size > 1,
)
const blocks = reports.reduce((sum, report) => sum + report.blocks, 0)
const changed = reports.reduce((sum, report) => sum + report.changed, 0)
const half = samples.slice(samples.length >> 1)
const growth = slope(half) * (half.at(-1)!.at - half[0]!.at)
console.log(`seed ${values.seed}: ${blocks} blocks on ${reports.length} threads in ${seconds} s`)
console.log(
  `${fewest} blocks compared between threads: ${differing.length} differ; ${changed} changed when run again`,
)
console.log(
  `RSS ${half[0]!.megabytes.toFixed(0)} MB half-way, slope ${(slope(half) * 60).toFixed(2)} MB per minute after it`,
)
if (differing.length + changed > 0 || fewest === 0 || growth > MAX_GROWTH * half[0]!.megabytes) {
  console.log('Threads differ, stood still, or memory grows.')
  process.exitCode = 1
}

/** Megabytes per second, least squares. */
function slope(points: readonly { readonly at: number; readonly megabytes: number }[]): number {
  const mean = (pick: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [at, megabytes] = [mean((point) => point.at), mean((point) => point.megabytes)]
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  const shared = points.reduce((sum, point) => sum + (point.at - at) * (point.megabytes - megabytes), 0)
  return spread === 0 ? 0 : shared / spread
}
