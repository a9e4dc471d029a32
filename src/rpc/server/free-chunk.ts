/** For less the garbage collector is cheaper. */
const FREED_FROM_BYTES = 4 * 1024

/**
 * Gives back the memory of bytes that nobody will read again. Dead buffers gather up to 64 MB before V8 notices, and a
 * large body leaves thousands of them. One that is a part of another buffer is left to the collector.
 */
export function freeChunk(chunk: Uint8Array): void {
  if (chunk.length >= FREED_FROM_BYTES && chunk.length === chunk.buffer.byteLength) {
    ;(chunk.buffer as ArrayBuffer).transfer(0)
  }
}
