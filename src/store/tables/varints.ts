/** Numbers and lengths in LevelDB's form: seven bits per byte, lowest first. Throws RangeError past the end. */
export class VarintReader {
  readonly #bytes: Uint8Array
  #offset: number
  readonly #end: number

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#offset = start
    this.#end = end
  }

  get isDone(): boolean {
    return this.#offset >= this.#end
  }

  get offset(): number {
    return this.#offset
  }

  varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      if (this.isDone) throw new RangeError('The number has no end.')
      const byte = this.#bytes[this.#offset++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }

  skip(count: number): void {
    if (this.#offset + count > this.#end) throw new RangeError('There are not so many bytes.')
    this.#offset += count
  }

  /** Skips bytes that follow their length. */
  skipBytes(): void {
    this.skip(this.varint())
  }
}
