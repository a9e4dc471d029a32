/** A queue of trace events: plain up to some megabytes, then compressed, because loops compress well. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Events are compressed in blocks of this size. */
const BLOCK_BYTES = 256 * 1024
/** Bytes kept uncompressed; most traces are shorter. */
const PLAIN_BYTES = 8 * 1024 * 1024
const FASTEST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

interface Block {
  readonly bytes: Uint8Array
  /** Length of the events if they are compressed. */
  readonly length: number | undefined
}

export class TraceEventQueue {
  readonly #maxBytes: number
  readonly #onFull: () => never
  readonly #blocks: Block[] = []
  #open: Buffer | undefined
  #openLength = 0
  #heldBytes = 0

  /** `onFull` throws to end the run when the limit is exceeded. */
  constructor(maxBytes: number, onFull: () => never) {
    this.#maxBytes = maxBytes
    this.#onFull = onFull
  }

  /** Adds a copy of complete events. */
  add(chunk: Uint8Array): void {
    if (this.#heldBytes + chunk.length <= PLAIN_BYTES && this.#openLength === 0) {
      this.#hold({ bytes: new Uint8Array(chunk), length: undefined })
      return
    }
    if (this.#openLength + chunk.length > BLOCK_BYTES) this.#close()
    if (chunk.length > BLOCK_BYTES) {
      this.#compress(chunk)
      return
    }
    this.#open ??= Buffer.allocUnsafe(BLOCK_BYTES)
    this.#open.set(chunk, this.#openLength)
    this.#openLength += chunk.length
  }

  /** Yields the events in order, each once. */
  *take(): Generator<Uint8Array, void, undefined> {
    this.#close()
    for (let block = this.#blocks.shift(); block !== undefined; block = this.#blocks.shift()) {
      const { bytes, length } = block
      yield length === undefined ? bytes : zstdDecompressSync(bytes, { maxOutputLength: length })
    }
  }

  #close(): void {
    if (this.#open === undefined || this.#openLength === 0) return
    this.#compress(this.#open.subarray(0, this.#openLength))
    this.#openLength = 0
  }

  #compress(events: Uint8Array): void {
    this.#hold({ bytes: zstdCompressSync(events, FASTEST), length: events.length })
  }

  #hold(block: Block): void {
    this.#heldBytes += block.bytes.length
    if (this.#heldBytes > this.#maxBytes) this.#onFull()
    this.#blocks.push(block)
  }
}
