/**
 * Ten threads with the native engine, each with one session at a time, run the same random blocks repeatedly. Some blocks are
 * cancelled or lose their state. All results must be the same each time, and memory must not grow.
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
/** A long run reports its progress once a minute. */
const SAMPLES_PER_REPORT = 120
/** Maximum growth in the second half, as a fraction of the memory half-way; V8 heaps vary that much. */
const MAX_GROWTH = 0.25
/** Without a limit, each heap grows for minutes before a collection, which would hide a leak. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 }

export interface SoakReport {
  readonly blocks: number
  /** The digest of each block's first run. */
  readonly digests: readonly string[]
  /** Blocks with a different result in a later run. */
  readonly changed: number
}

const workers = Array.from({ length: Number(values.threads) }, () => {
  const workerData = { seed: Number(values.seed), seconds }
  return new Worker(new URL('./soak-thread.ts', import.meta.url), { workerData, resourceLimits })
})
// After all threads have run every block, no further memory is needed.
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
    // An ended thread frees its memory, which would hide a leak.
    worker.once('message', () => clearInterval(sampler))
    // Awaits both, because the last message and the exit may come together.
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
  console.log('Threads differ, a thread made no progress, or memory grows.')
  process.exitCode = 1
}

/** The slope of a least squares fit, in megabytes per second. */
function slope(points: readonly { readonly at: number; readonly megabytes: number }[]): number {
  const mean = (pick: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [at, megabytes] = [mean((point) => point.at), mean((point) => point.megabytes)]
  const spread = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0)
  const shared = points.reduce((sum, point) => sum + (point.at - at) * (point.megabytes - megabytes), 0)
  return spread === 0 ? 0 : shared / spread
}
