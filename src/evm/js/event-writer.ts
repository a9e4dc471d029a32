/** Writes trace events in chunks (docs/internals/wire/trace-events.md). */
import { CHUNK_BYTES } from '#evm/trace/events.ts'
import { MAX_UINT64 } from '#types/bytes.ts'

const WORD_BYTES = 32
/** Words up to this are written as numbers. */
const MAX_NUMBER_WORD = 2n ** 32n - 1n

export class TraceEventWriter {
  readonly #onEvents: (chunk: Uint8Array) => void
  readonly #chunk = new Uint8Array(CHUNK_BYTES)
  #bytes = this.#chunk
  #view = new DataView(this.#bytes.buffer)
  #at = 0

  constructor(onEvents: (chunk: Uint8Array) => void) {
    this.#onEvents = onEvents
  }

  /** Begins an event of at most `maxBytes`; flushes the chunk if it does not fit. */
  startEvent(kind: number, maxBytes: number): void {
    if (this.#at + maxBytes > CHUNK_BYTES) this.flush()
    if (maxBytes > this.#bytes.length) this.#use(new Uint8Array(maxBytes))
    this.uint8(kind)
  }

  flush(): void {
    if (this.#at === 0) return
    const events = this.#bytes.subarray(0, this.#at)
    this.#at = 0
    this.#onEvents(events)
    if (this.#bytes !== this.#chunk) this.#use(this.#chunk)
  }

  uint8(value: number): void {
    this.#bytes[this.#at++] = value
  }

  uint16(value: number): void {
    this.#view.setUint16(this.#at, value)
    this.#at += 2
  }

  uint32(value: number): void {
    this.#view.setUint32(this.#at, value)
    this.#at += 4
  }

  /** Clamps larger values to 64 bits. */
  uint64(value: bigint): void {
    this.#view.setBigUint64(this.#at, value > MAX_UINT64 ? MAX_UINT64 : value)
    this.#at += 8
  }

  uint256(value: bigint): void {
    let rest = value
    for (let part = this.#at + 24; part >= this.#at; part -= 8, rest >>= 64n) {
      this.#view.setBigUint64(part, rest)
    }
    this.#at += WORD_BYTES
  }

  /** Writes a word without leading zeros after its length. */
  shortWord(value: bigint): void {
    if (value <= MAX_NUMBER_WORD) {
      this.#shortNumber(Number(value))
      return
    }
    const from = this.#at
    this.#at = from + 1
    this.uint256(value)
    let first = from + 1
    while (this.#bytes[first] === 0) first++
    this.#bytes[from] = this.#at - first
    this.#bytes.copyWithin(from + 1, first, this.#at)
    this.#at = from + 1 + this.#bytes[from]!
  }

  bytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** Writes 32 bytes; an empty argument is zero. */
  word(bytes: Uint8Array): void {
    this.#bytes.fill(0, this.#at, this.#at + WORD_BYTES - bytes.length)
    this.#at += WORD_BYTES - bytes.length
    this.bytes(bytes)
  }

  sized(bytes: Uint8Array): void {
    this.uint32(bytes.length)
    this.bytes(bytes)
  }

  #shortNumber(value: number): void {
    const length = value === 0 ? 0 : Math.ceil((32 - Math.clz32(value)) / 8)
    this.uint8(length)
    for (let shift = (length - 1) * 8; shift >= 0; shift -= 8) this.uint8((value >>> shift) & 0xff)
  }

  #use(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}
