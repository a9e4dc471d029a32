import { openSync } from 'node:fs'
import { usageFault } from '#config/faults.ts'
import { readTextIfPresent as readIfPresent, readTextBounded } from '#platform/files/files.ts'

/** The largest file accepted from the command line. Public genesis files reach 5 MB. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024

export function readTextIfPresent(path: string): string | undefined {
  return readIfPresent(path, MAX_INPUT_BYTES)
}

const MAX_TOKEN_BYTES = 16 * 1024
const TOKEN = /^[\w.~+/=-]+$/

/** The token in a file, as `/login` returns it. */
export function readToken(file: string): string {
  const token = readTextBounded(file, MAX_TOKEN_BYTES).trim()
  if (!TOKEN.test(token)) {
    throw usageFault(`${file} must hold one token, as /login returns it, and nothing else.`)
  }
  return token
}

export function openToRead(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    throw usageFault(`Could not find file: ${path}. ${(cause as Error).message}`, { cause })
  }
}
