/** Pseudo-random numbers: the same seed gives the same world on every machine. */
export class Random {
  #state: number

  constructor(seed: number, iteration: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(iteration + 1, 0x85ebca6b)) >>> 0
    for (let warmup = 0; warmup < 4; warmup++) this.uint32()
  }

  /** mulberry32. */
  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let word = this.#state
    word = Math.imul(word ^ (word >>> 15), word | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return (word ^ (word >>> 14)) >>> 0
  }

  below(limit: number): number {
    return Math.floor((this.uint32() / 2 ** 32) * limit)
  }

  chance(probability: number): boolean {
    return this.uint32() / 2 ** 32 < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }

  /** Mostly small, sometimes an edge value, sometimes any value. */
  word(): bigint {
    switch (this.below(6)) {
      case 0:
        return this.pick(EDGES)
      case 1: {
        let word = 0n
        for (const byte of this.bytes(1 + this.below(32))) word = (word << 8n) | BigInt(byte)
        return word
      }
      case 2:
        return BigInt(this.below(2 ** 16))
      default:
        return BigInt(this.below(64))
    }
  }
}

const EDGES = [
  0n,
  1n,
  31n,
  32n,
  33n,
  255n,
  256n,
  2n ** 32n - 1n,
  2n ** 63n,
  2n ** 64n - 1n,
  2n ** 64n,
].concat([2n ** 128n, 2n ** 255n, 2n ** 255n - 1n, 2n ** 256n - 1n, 2n ** 256n - 2n, 2n ** 160n - 1n])
