import { readTextBounded } from '#platform/files/files.ts'
import { usageFault } from './faults.ts'

const MAX_BYTES = 4096

/** Reads the first line, as geth does. */
export function readPasswordFile(file: string): string {
  const [line] = readTextBounded(file, MAX_BYTES).split(/\r?\n/, 1)
  if (line === undefined || line === '') throw usageFault(`The password file ${file} has no first line.`)
  return line
}
