/** Whether memory grows: of a heap that breathes only what is left after a collection says so. */

export interface MemorySample {
  readonly atMs: number
  readonly heapBytes: number
  readonly externalBytes: number
  readonly residentBytes: number
}

export type MemoryKind = 'heapBytes' | 'externalBytes' | 'residentBytes'

export interface MemoryTrend {
  readonly megabytes: number
  readonly megabytesPerMinute: number
  /** Of the least of the second quarter, until the last. */
  readonly growth: number
}

const MEGABYTE = 2 ** 20
const MINUTE_MS = 60_000
/** The least of each is taken; the first ones, in which caches fill and code is compiled, are left out. */
const WINDOWS = 12
const WARM_UP_WINDOWS = 3

/** Reads the text of /metrics. Threads of servers and engines count with main. */
export function readMemory(text: string, atMs: number): MemorySample {
  const sum = (name: string): number =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    )
  return {
    atMs,
    heapBytes: sum('nodejs_heap_size_used_bytes') + sum('process_thread_heap_bytes'),
    externalBytes: sum('nodejs_external_memory_bytes'),
    residentBytes: sum('process_resident_memory_bytes'),
  }
}

export function trendOf(samples: readonly MemorySample[], kind: MemoryKind): MemoryTrend {
  const first = samples[0]!.atMs
  const windowMs = (samples.at(-1)!.atMs - first) / WINDOWS
  const least = new Map<number, MemorySample>()
  for (const sample of samples) {
    const window = Math.min(WINDOWS - 1, Math.floor((sample.atMs - first) / windowMs))
    const known = least.get(window)
    if (window >= WARM_UP_WINDOWS && (known === undefined || sample[kind] < known[kind])) {
      least.set(window, sample)
    }
  }
  const points = [...least.values()].map((sample) => [sample.atMs, sample[kind]] as const)
  const bytes = points.map(([, value]) => value)
  const quarter = Math.ceil(points.length / 3)
  const early = Math.min(...bytes.slice(0, quarter))
  const late = Math.min(...bytes.slice(-quarter))
  return {
    megabytes: late / MEGABYTE,
    megabytesPerMinute: (slopeOf(points) * MINUTE_MS) / MEGABYTE,
    growth: late / early - 1,
  }
}

/** Least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return below === 0 ? 0 : above / below
}
