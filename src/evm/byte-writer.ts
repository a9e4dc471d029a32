/** A growing buffer with big-endian numbers, for the reports of engines. */
import { assert } from '#types/assert.ts'
import { MAX_UINT64 } from '#types/bytes.ts'

const INITIAL_BYTES = 1024
/** Maximum buffer kept for the next use. */
const KEPT_BYTES = 1024 * 1024
/** An outcome is bounded by the gas of one transaction and the limit of its call tree. */
const MAX_BYTES = 2 ** 30

export class ByteWriter {
  #bytes = new Uint8Array(INITIAL_BYTES)
  #view = new DataView(this.#bytes.buffer)
  #length = 0

  get length(): number {
    return this.#length
  }

  uint8(value: number): void {
    const at = this.#reserve(1)
    this.#bytes[at] = value
  }

  uint16(value: number): void {
    const at = this.#reserve(2)
    this.#view.setUint16(at, value)
  }

  uint32(value: number): void {
    const at = this.#reserve(4)
    this.#view.setUint32(at, value)
  }

  uint64(value: bigint): void {
    assert(value >= 0n && value <= MAX_UINT64, 'The value fits into 64 bits.')
    const at = this.#reserve(8)
    this.#view.setBigUint64(at, value)
  }

  uint256(value: bigint): void {
    const at = this.#reserve(32)
    let rest = value
    for (let part = at + 24; part >= at; part -= 8, rest >>= 64n) this.#view.setBigUint64(part, rest)
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Writes the bytes after their length in 4 bytes. */
  sizedBytes(bytes: Uint8Array): void {
    this.uint32(bytes.length)
    this.bytes(bytes)
  }

  /** The written bytes and whatever follows them in the buffer, without a copy; valid until the next use. */
  peek(): Uint8Array {
    return this.#bytes
  }

  /** Returns a copy of the written bytes; the writer is empty again and keeps its buffer if it is small. */
  finish(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#length)
    this.clear()
    return bytes
  }

  clear(): void {
    this.#length = 0
    if (this.#bytes.length <= KEPT_BYTES) return
    this.#bytes = new Uint8Array(INITIAL_BYTES)
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** Returns the position of the next bytes. It may move the buffer, so take no reference to it before the call. */
  #reserve(length: number): number {
    const at = this.#length
    const needed = at + length
    if (needed > this.#bytes.length) {
      assert(needed <= MAX_BYTES, `A record of an engine has at most ${MAX_BYTES} bytes.`)
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
      grown.set(this.#bytes.subarray(0, at))
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    this.#length = needed
    return at
  }
}
