/** The counterpart of ByteWriter. The engines write the bytes, so an early end is a bug. */
import { assert } from '#types/assert.ts'
import { wordAt } from '#types/state-changes.ts'

export class ByteReader {
  readonly all: Uint8Array
  readonly view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.all = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.#at === this.all.length
  }

  /** Position of the next field. */
  get position(): number {
    return this.#at
  }

  uint8(): number {
    return this.view.getUint8(this.skip(1))
  }

  uint16(): number {
    return this.view.getUint16(this.skip(2))
  }

  uint32(): number {
    return this.view.getUint32(this.skip(4))
  }

  uint64(): bigint {
    return this.view.getBigUint64(this.skip(8))
  }

  uint256(): bigint {
    return wordAt(this.all, this.skip(32))
  }

  /** Returns a view, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.skip(length)
    return this.all.subarray(at, at + length)
  }

  sizedBytes(): Uint8Array {
    return this.bytes(this.uint32())
  }

  /** Returns a view of the bytes read since a position. */
  since(position: number): Uint8Array {
    return this.all.subarray(position, this.#at)
  }

  /** Returns the start of the skipped bytes. */
  skip(length: number): number {
    const at = this.#at
    assert(at + length <= this.all.length, 'The record of an engine ends before its last field.')
    this.#at = at + length
    return at
  }
}
