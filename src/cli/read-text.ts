import { openSync } from 'node:fs'
import { usageFault } from '#config/faults.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { Fault } from '#types/fault.ts'

/** The largest file accepted from the command line. Public genesis files reach 5 MB. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024

export function readTextIfPresent(path: string): string | undefined {
  try {
    return readTextBounded(path, MAX_INPUT_BYTES)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}

export function openToRead(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw usageFault(`Could not find file: ${path}. ${(cause as Error).message}`, { cause })
  }
}
