/** The counterpart of ByteWriter. The bytes are our own, so that an end too early is a bug. */
import { assert } from '#types/assert.ts'
import { wordAt } from '#types/state-changes.ts'

export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Of the next field. */
  get position(): number {
    return this.#at
  }

  uint8(): number {
    return this.#view.getUint8(this.#take(1))
  }

  uint16(): number {
    return this.#view.getUint16(this.#take(2))
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4))
  }

  uint64(): bigint {
    return this.#view.getBigUint64(this.#take(8))
  }

  uint256(): bigint {
    return wordAt(this.#bytes, this.#take(32))
  }

  /** A view, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  sizedBytes(): Uint8Array {
    return this.bytes(this.uint32())
  }

  skip(length: number): void {
    this.#take(length)
  }

  /** What was read since a position; a view. */
  since(position: number): Uint8Array {
    return this.#bytes.subarray(position, this.#at)
  }

  #take(length: number): number {
    const at = this.#at
    assert(at + length <= this.#bytes.length, 'The record of an engine ends before its last field.')
    this.#at = at + length
    return at
  }
}
