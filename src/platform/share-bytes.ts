import { nextTurn } from './next-turn.ts'

/** Shorter ones are copied by the channel sooner than shared. */
const MIN_SHARED_BYTES = 64 * 1024
/** Copied in a tenth of a millisecond. */
const SLICE_BYTES = 256 * 1024

/**
 * The same bytes in memory that another thread can read: to post 16 MiB otherwise stops the thread that posts for several
 * milliseconds. Copied slice by slice, with a turn of the event loop between two.
 */
export async function shareBytes(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length < MIN_SHARED_BYTES || bytes.buffer instanceof SharedArrayBuffer) return bytes
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    shared.set(bytes.subarray(from, from + SLICE_BYTES), from)
    await nextTurn()
  }
  return shared
}

/** What came from another thread, in memory of this one's own: native code does not take shared memory everywhere. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes
}
