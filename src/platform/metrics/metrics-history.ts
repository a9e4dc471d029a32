/**
 * The last hour of chosen metrics, for readers that were not there. A fixed number of samples is kept, so its memory does
 * not grow.
 */
import type { Clock } from '#platform/clock.ts'
import type { Metrics } from './metrics.ts'
import type { MetricData, MetricSample, MetricsData } from './metrics-merge.ts'

export const SAMPLE_INTERVAL_MS = 10_000
/** Rooms declare their metrics while they start. */
const FIRST_SAMPLE_MS = 2_000
/** One hour. */
export const SAMPLES_MAX = 361

export type SeriesUnit = 'count' | 'bytes' | 'seconds' | 'per second'

/** A metric to keep; values of several labels are added. */
export interface SeriesRow {
  readonly title: string
  /** `per second`: the metric is a counter, and its rate is kept. */
  readonly unit: SeriesUnit
  readonly category: string
  /** The name in `debug_metrics`. */
  readonly name: string
  /** A quantile of a summary. */
  readonly quantile?: number
}

export interface SeriesHistory {
  /** Ages of the samples in milliseconds, the oldest first. */
  readonly agesMs: readonly number[]
  /** One list per row; NaN if the metric had no value. */
  readonly values: readonly (readonly number[])[]
}

export class MetricsHistory {
  readonly rows: readonly SeriesRow[]
  readonly #metrics: Pick<Metrics, 'merged'>
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  /** Samples as a ring; each is its time and one number per row. */
  readonly #ring: Float64Array
  readonly #width: number
  #count = 0
  /** The counters at the last sample, whose rates are kept. */
  #last: { readonly atMs: number; readonly totals: readonly number[] } | undefined
  #isSampling = false

  constructor(
    rows: readonly SeriesRow[],
    metrics: Pick<Metrics, 'merged'>,
    clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.rows = rows
    this.#metrics = metrics
    this.#clock = clock
    this.#onError = onError
    this.#width = rows.length + 1
    this.#ring = new Float64Array(SAMPLES_MAX * this.#width)
  }

  /** The memory of all samples. */
  get bytes(): number {
    return this.#ring.byteLength
  }

  /** Returns the function that ends it. */
  start(): () => void {
    const timers = [
      this.#clock.after(FIRST_SAMPLE_MS, () => void this.sample(), { unref: true }),
      this.#clock.every(SAMPLE_INTERVAL_MS, () => void this.sample(), { unref: true }),
    ]
    return () => {
      for (const timer of timers) timer.cancel()
    }
  }

  /** Skipped while a thread has not answered the sample before. */
  async sample(): Promise<void> {
    if (this.#isSampling) return
    this.#isSampling = true
    try {
      this.#take(await this.#metrics.merged())
    } catch (error) {
      this.#onError(error)
    } finally {
      this.#isSampling = false
    }
  }

  #take(data: MetricsData): void {
    // Not the wall clock, which may jump.
    const atMs = this.#clock.monotonicMs()
    const totals = this.rows.map((row) => totalOf(row, data))
    const last = this.#last
    const sinceS = last === undefined ? 0 : (atMs - last.atMs) / 1_000
    const values = totals.map((total, at) => {
      if (this.rows[at]!.unit !== 'per second') return total
      return sinceS > 0 ? Math.max(0, total - last!.totals[at]!) / sinceS : Number.NaN
    })
    this.#ring.set([atMs, ...values], (this.#count % SAMPLES_MAX) * this.#width)
    this.#count += 1
    this.#last = { atMs, totals }
  }

  read(): SeriesHistory {
    const nowMs = this.#clock.monotonicMs()
    const kept = Math.min(this.#count, SAMPLES_MAX)
    const starts = Array.from(
      { length: kept },
      (_, at) => ((this.#count - kept + at) % SAMPLES_MAX) * this.#width,
    )
    return {
      agesMs: starts.map((start) => nowMs - this.#ring[start]!),
      values: this.rows.map((_, row) => starts.map((start) => this.#ring[start + 1 + row]!)),
    }
  }
}

function totalOf({ category, name, quantile }: SeriesRow, data: MetricsData): number {
  const metric = data.find(({ row }) => row?.category === category && row.name === name)
  const samples = metric?.values.filter((sample) => isWanted(metric, sample, quantile)) ?? []
  if (samples.length === 0) return Number.NaN
  return samples.reduce((sum, { value }) => sum + value, 0)
}

function isWanted(
  { name }: MetricData,
  { metricName = name, labels }: MetricSample,
  quantile: number | undefined,
) {
  if (quantile !== undefined) return Number(labels.quantile) === quantile
  return metricName === name && labels.quantile === undefined
}
