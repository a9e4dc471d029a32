/** Reads of stored blocks on behalf of peers. */
import { Fault } from '#types/fault.ts'

/**
 * Returns undefined for a block that only the archive has, which peers do not wait for, and for one in a damaged segment:
 * damage to old blocks must not cost this node its peers. The reader has noted the damage, so the segment is repaired.
 */
export function ifReadable<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Fault && UNREADABLE.has(error.kind)) return undefined
    throw error
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['ARCHIVE_UNAVAILABLE', 'SEGMENT_DAMAGED'])
