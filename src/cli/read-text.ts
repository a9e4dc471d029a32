import { readTextBounded } from '#platform/files/files.ts'
import { Fault } from '#types/fault.ts'

/** No file that a person hands to the command line is larger: public genesis files reach 5 MB. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024

export function readTextIfPresent(path: string): string | undefined {
  try {
    return readTextBounded(path, MAX_INPUT_BYTES)
  } catch (error) {
    if (error instanceof Fault && error.kind === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}
