import type { Transform } from 'node:stream'
import { createDeflate, createGzip, deflateSync, gzipSync } from 'node:zlib'
import type { ContentCoding } from './negotiate.ts'

/**
 * Up to here an answer is compressed on the spot: it takes less time than a trip to the thread pool and back.
 * The small window and memory level cost nothing in size for so short a text and spare the allocation of the
 * 256 KiB that zlib takes otherwise.
 */
export const ON_THE_SPOT_MAX_CHARS = 16 * 1024
const ON_THE_SPOT = { windowBits: 14, memLevel: 5 }

/** The pool's threads also write the database: long answers may occupy this many of them, no more. */
const STREAMS_MAX = 2
const STREAM_PIECE_BYTES = 64 * 1024

export function compress(text: string, coding: ContentCoding): Buffer {
  return coding === 'gzip' ? gzipSync(text, ON_THE_SPOT) : deflateSync(text, ON_THE_SPOT)
}

/** Hands out streaming compressors; null when all are in use, and the answer goes out as it is. */
export class Compressors {
  #inUse = 0

  take(coding: ContentCoding): Transform | null {
    if (this.#inUse === STREAMS_MAX) return null
    this.#inUse += 1
    const options = { chunkSize: STREAM_PIECE_BYTES }
    const stream = coding === 'gzip' ? createGzip(options) : createDeflate(options)
    stream.once('close', () => {
      this.#inUse -= 1
    })
    return stream
  }
}
