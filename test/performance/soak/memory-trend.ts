/** Decides from samples whether memory grows, regardless of garbage collection cycles. */

export interface MemorySample {
  readonly atMs: number
  /** Bytes by name: `heap` of all threads, `external`, `resident`, and the heap of each thread by thread name. */
  readonly bytes: Readonly<Record<string, number>>
}

export interface MemoryTrend {
  readonly megabytes: number
  readonly megabytesPerMinute: number
  /** Growth from the minimum of the second quarter to the last quarter, as a fraction of the former. */
  readonly growth: number
}

const MEGABYTE = 2 ** 20
const MINUTE_MS = 60_000
/**
 * Each window counts with its minimum. The first windows, in which caches fill and code is compiled, are left out.
 */
const WINDOWS = 12
const WARM_UP_WINDOWS = 3

/** Reads the thread heaps and the text of /metrics. */
export function readMemory(
  heaps: Readonly<Record<string, number>>,
  text: string,
  atMs: number,
): MemorySample {
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  const heap = Object.values(heaps).reduce((sum, bytes) => sum + bytes, 0)
  const external = value('nodejs_external_memory_bytes')
  return { atMs, bytes: { heap, external, resident: value('process_resident_memory_bytes'), ...heaps } }
}

export function trendOf(samples: readonly MemorySample[], name: string): MemoryTrend {
  const first = samples[0]!.atMs
  const windowMs = (samples.at(-1)!.atMs - first) / WINDOWS
  const least = new Map<number, readonly [atMs: number, bytes: number]>()
  for (const { atMs, bytes } of samples) {
    const window = Math.min(WINDOWS - 1, Math.floor((atMs - first) / windowMs))
    const value = bytes[name] ?? 0
    if (window >= WARM_UP_WINDOWS && value < (least.get(window)?.[1] ?? Infinity)) {
      least.set(window, [atMs, value])
    }
  }
  const points = [...least.values()]
  const values = points.map(([, value]) => value)
  const part = Math.ceil(points.length / 3)
  const early = Math.min(...values.slice(0, part))
  const late = Math.min(...values.slice(-part))
  return {
    megabytes: late / MEGABYTE,
    megabytesPerMinute: (slopeOf(points) * MINUTE_MS) / MEGABYTE,
    growth: late / early - 1,
  }
}

/** The slope of a least squares fit. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const above = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  const below = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return below === 0 ? 0 : above / below
}
