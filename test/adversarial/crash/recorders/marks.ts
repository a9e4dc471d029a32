import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export const MARKS_FILE = 'marks'

/** Writes each mark with one system call, so its order among the other calls is known. */
export function openMarks(folder: string): (mark: unknown) => void {
  const fd = openSync(join(folder, MARKS_FILE), 'a')
  return (mark) => {
    writeSync(fd, `${JSON.stringify(mark)}\n`)
  }
}
