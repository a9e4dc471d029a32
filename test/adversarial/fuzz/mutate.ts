/** Mutations that depend only on a seed, so findings can be repeated. */

/** Longer inputs find nothing more and cost executions. */
const MAX_INPUT_BYTES = 64 * 1024
const MAX_MUTATIONS = 8
const MAX_BLOCK_BYTES = 32

/** Bytes with a special meaning in parsers: signs, RLP headers, ASCII structure. */
const INTERESTING = new TextEncoder().encode('\0\x01\x7f 09afx:/?@[]#=&.-"{}\n')
const INTERESTING_RLP = [0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xff]

/** A small generator with 32 bits of state (splitmix32): good enough to choose mutations. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** An integer from 0 up to, not including, `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let bits = this.#state ^ (this.#state >>> 16)
    bits = Math.imul(bits, 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    return Math.floor(((bits ^ (bits >>> 15)) >>> 0) / (2 ** 32 / end))
  }

  of<Value>(values: ArrayLike<Value>): Value {
    return values[this.below(values.length)]!
  }
}

/** The input of one iteration, independent of the iterations before. */
export function mutation(seeds: readonly Uint8Array[], seed: number, iteration: number): Uint8Array {
  const random = new Random(Math.imul(iteration + 1, 0x85ebca6b) ^ seed)
  let input = random.of(seeds)
  for (let count = 1 + random.below(MAX_MUTATIONS); count > 0; count--) {
    input = random.of(MUTATORS)(input, random, seeds).subarray(0, MAX_INPUT_BYTES)
  }
  return input
}

type Mutator = (input: Uint8Array, random: Random, seeds: readonly Uint8Array[]) => Uint8Array

const MUTATORS: readonly Mutator[] = [
  function flipBit(input, random) {
    return withByte(input, random, (byte) => byte ^ (1 << random.below(8)))
  },
  function replaceByte(input, random) {
    return withByte(input, random, () => random.below(256))
  },
  function addToByte(input, random) {
    return withByte(input, random, (byte) => byte + random.below(9) - 4)
  },
  function replaceByInteresting(input, random) {
    return withByte(input, random, () => interesting(random))
  },
  function insert(input, random) {
    const at = random.below(input.length + 1)
    const length = 1 + random.below(random.of([1, 4, MAX_BLOCK_BYTES]))
    const block = Uint8Array.from({ length }, () =>
      random.below(2) ? interesting(random) : random.below(256),
    )
    return join(input.subarray(0, at), block, input.subarray(at))
  },
  function remove(input, random) {
    const [from, to] = range(input, random)
    return join(input.subarray(0, from), input.subarray(to))
  },
  function duplicate(input, random) {
    const [from, to] = range(input, random)
    const times = 1 + random.below(random.of([1, 4, 64]))
    const copies = Array.from({ length: times }, () => input.subarray(from, to))
    return join(input.subarray(0, to), ...copies, input.subarray(to))
  },
  function splice(input, random, seeds) {
    const other = random.of(seeds)
    return join(
      input.subarray(0, random.below(input.length + 1)),
      other.subarray(random.below(other.length + 1)),
    )
  },
  function graft(input, random, seeds) {
    const other = random.of(seeds)
    const [from, to] = range(other, random)
    const at = random.below(input.length + 1)
    return join(input.subarray(0, at), other.subarray(from, to), input.subarray(at))
  },
  function truncate(input, random) {
    return input.slice(0, random.below(input.length + 1))
  },
]

function interesting(random: Random): number {
  return random.of(random.below(2) ? INTERESTING : INTERESTING_RLP)
}

function withByte(input: Uint8Array, random: Random, change: (byte: number) => number): Uint8Array {
  if (input.length === 0) return input
  const copy = input.slice()
  const at = random.below(copy.length)
  copy[at] = change(copy[at]!)
  return copy
}

function range(input: Uint8Array, random: Random): [from: number, to: number] {
  const from = random.below(input.length + 1)
  return [from, Math.min(input.length, from + random.below(random.of([2, 8, MAX_BLOCK_BYTES, 1024])))]
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}
