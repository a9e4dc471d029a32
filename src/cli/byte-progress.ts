import { tellEachSecond } from './each-second.ts'
import type { Io } from './io.ts'

interface Progress {
  readonly doneBytes: number
  readonly totalBytes: number
}

export function tellBytes(io: Io): (done: string, progress: Progress) => void {
  const tell = tellEachSecond(io)
  return (done, { doneBytes, totalBytes }) =>
    tell(() => {
      const percent = totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes)
      return `${percent} % ${done}: ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}.`
    })
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length)
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`
}
