import { nextTurn } from './next-turn.ts'

/** Smaller pieces are copied faster than they are shared. */
const MIN_SHARED_BYTES = 64 * 1024
/** Copying this much takes a tenth of a millisecond. */
const SLICE_BYTES = 256 * 1024

/** Copies bytes into memory that another thread can read. */
export async function shareBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const [shared] = await shareAll([bytes])
  return shared!
}

/**
 * Copies several pieces into one block of memory that another thread can read, because posting 16 MiB stops the posting
 * thread for several milliseconds. Yields to the event loop between slices.
 */
export async function shareAll(pieces: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const isShared = pieces.every(({ buffer }) => buffer instanceof SharedArrayBuffer)
  if (length < MIN_SHARED_BYTES || isShared) return pieces
  const memory = new Uint8Array(new SharedArrayBuffer(length))
  const shared: Uint8Array[] = []
  let start = 0
  let sinceTurn = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; from += SLICE_BYTES) {
      const slice = piece.subarray(from, from + SLICE_BYTES)
      memory.set(slice, start + from)
      sinceTurn += slice.length
      if (sinceTurn < SLICE_BYTES) continue
      sinceTurn = 0
      await nextTurn()
    }
    shared.push(memory.subarray(start, start + piece.length))
    start += piece.length
  }
  return shared
}

/** Copies bytes from another thread into memory of this thread, because not all native code accepts shared memory. */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes
}
