import { systemClock } from '#platform/clock.ts'
import type { Io } from './io.ts'

const PERIOD_MS = 1_000

interface Progress {
  readonly doneBytes: number
  readonly totalBytes: number
}

/** A line on the error stream every second, as long as there is something to tell. */
export function tellBytes(io: Io): (done: string, progress: Progress) => void {
  let toldAtMs = systemClock.monotonicMs()
  return (done, { doneBytes, totalBytes }) => {
    const nowMs = systemClock.monotonicMs()
    if (nowMs - toldAtMs < PERIOD_MS) return
    toldAtMs = nowMs
    const percent = totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes)
    io.err(`${percent} % ${done}: ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}.\n`)
  }
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`
}
