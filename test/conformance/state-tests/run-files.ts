// Runs state tests on all cores. By default a sample, so CI finishes in under a minute; CAIRN_STATE_SAMPLE=1 runs all
// (npm run nightly -- conformance), which takes about ten minutes on two cores.
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Outcome, Pack } from '../suite.ts'

export interface FileJob {
  readonly unit: string
  readonly path: string
  readonly form: 'state' | 'blockchain'
  /** Every nth case by a stable hash of its name. */
  readonly sample: number
  /** Cases that take seconds, left out of a sample. */
  readonly skip: readonly string[]
}

export interface FileResult {
  readonly unit: string
  readonly cases: number
  readonly failed: number
  readonly reasons: readonly string[]
}

const DEFAULT_SAMPLE = 20

interface SlowCase {
  readonly file: string
  readonly case: string
  readonly fork: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
}

/** One outcome per file: met if all its sampled cases pass. Files without a sampled case have none. */
export async function* runFiles(
  pack: Pack,
  folder: string,
  form: FileJob['form'],
  defaultSample: number = DEFAULT_SAMPLE,
): AsyncGenerator<Outcome> {
  const sample = chosenSample() ?? defaultSample
  const slow = pack.json('state-tests/slow.json') as readonly SlowCase[]
  const jobs = pack.files(folder).map((file): FileJob => {
    const unit = file.slice(folder.length + 1)
    const skip = slow
      .filter((entry) => `state-tests/${entry.file}` === file)
      .map(({ case: name, fork, indexes: { data, gas, value } }) => `${name} ${fork} ${data}/${gas}/${value}`)
    return { unit, path: pack.path(file), form, sample, skip }
  })
  const results = await runJobs(jobs)
  let cases = 0
  let failed = 0
  for (const result of results.toSorted((a, b) => (a.unit < b.unit ? -1 : 1))) {
    cases += result.cases
    failed += result.failed
    if (result.cases > 0) yield outcomeOf(result)
  }
  console.log(`${folder}: ${cases - failed} of ${cases} cases pass${sample === 1 ? '' : ` (1 in ${sample})`}`)
}

/** A sample has fewer units than a full run, so each has its own row in the ratchet. */
export function ratchetRowOf(folder: string): string {
  const sample = chosenSample() ?? DEFAULT_SAMPLE
  return sample === 1 ? folder : `${folder} (1 in ${sample})`
}

function chosenSample(): number | undefined {
  const text = process.env.CAIRN_STATE_SAMPLE
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`a sample is 1 for all cases or n for every nth, not ${text}`)
  return Number(text)
}

function outcomeOf({ unit, cases, failed, reasons }: FileResult): Outcome {
  if (failed === 0) return { unit, status: 'met' }
  return { unit, status: 'failed', reason: `${failed} of ${cases} cases: ${reasons.join('; ')}` }
}

async function runJobs(jobs: readonly FileJob[]): Promise<FileResult[]> {
  const queue = jobs.toReversed()
  const results: FileResult[] = []
  const threads = Array.from({ length: Math.min(availableParallelism(), jobs.length) }, async () => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url))
    for (let job = queue.pop(); job !== undefined; job = queue.pop()) {
      worker.postMessage(job)
      const [result] = (await once(worker, 'message')) as [FileResult]
      results.push(result)
    }
    await worker.terminate()
  })
  await Promise.all(threads)
  return results
}
