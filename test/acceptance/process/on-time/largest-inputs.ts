/**
 * Finds the largest inputs of a method: for every parameter it tries values of many shapes and sizes, and keeps those
 * that the decoder accepts. New methods are covered automatically.
 */

import { METHOD_EXAMPLES } from '#api/registry/method-examples.generated.ts'
import type { Method } from '#jsonrpc/method.ts'

const KIB = 1024
const MIB = 1024 * KIB

export type Params = readonly unknown[]

const COUNTS = [100, 1_000, 50_000]
const LENGTHS = [60 * KIB, 4 * MIB]

const hex = (number: number, digits: number): string => `0x${number.toString(16).padStart(digits, '0')}`

const ELEMENTS: readonly ((number: number) => unknown)[] = [
  (number) => `n${number}`,
  (number) => hex(number, 40),
  (number) => hex(number, 64),
  (number) =>
    `enode://${number.toString(16).padStart(128, '0')}@10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}:30303`,
  (number) => ({ a: number }),
]

const TEXTS: readonly ((length: number) => string)[] = [
  (length) => 'x'.repeat(length),
  (length) => `0x${'ab'.repeat(length / 2)}`,
  (length) => `0x${'1'.repeat(length)}`,
  (length) => `enode://${'ab'.repeat(64)}@127.0.0.1:30303?discport=${'0'.repeat(length)}1`,
]

/** Values that some parameter accepts; the first that fits fills the other parameters. */
const SMALL: readonly unknown[] = [
  hex(1, 40),
  hex(1, 64),
  '0x1',
  'latest',
  'INFO',
  true,
  1,
  {},
  [],
  'x',
  ['x'],
  [hex(1, 40)],
]

/** Values of one shape in ascending size. */
type Series = readonly (() => unknown)[]

const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)

/** Created once, because every method is tried with the same values. */
const LEAVES: readonly Series[] = [
  ...TEXTS.map((make) => LENGTHS.map((length) => once(() => make(length)))),
  ...ELEMENTS.map((make) => COUNTS.map((count) => once(() => numbers(count).map(make)))),
  COUNTS.map((count) => once(() => Object.fromEntries(numbers(count).map((n) => [`k${n}`, n])))),
]

function once(make: () => unknown): () => unknown {
  let value: unknown
  return () => (value ??= make())
}

/** Puts large values into members of the example, and into objects in its lists. */
function* largeMembers(example: unknown): Generator<Series> {
  if (typeof example !== 'object' || example === null) return
  for (const [name, member] of Object.entries(example)) {
    for (const series of [...LEAVES, ...largeMembers(member)]) {
      yield series.map((make) => () => (Array.isArray(example) ? [make()] : { ...example, [name]: make() }))
    }
  }
}

/** Objects with the members that filter and call decoders read. */
const OBJECTS: readonly unknown[] = [
  { address: [], topics: [[]], fromBlock: '0x1', toBlock: 'latest' },
  { from: hex(1, 40), to: hex(2, 40), data: '0x', gas: '0x5208' },
]

/** All sizes of every shape that the decoder accepts, because the method may still refuse some of them. */
export function* largestInputs(method: Method): Generator<Params> {
  const names = Object.keys(method.params)
  const base = legalParams(method, names.length)
  yield base
  for (const index of names.keys()) {
    const examples = [base[index], ...OBJECTS]
    for (const series of [...LEAVES, ...examples.flatMap((example) => [...largeMembers(example)])]) {
      for (const make of series) {
        const params = [...base.slice(0, index), make(), ...base.slice(index + 1)]
        while (params.length < index) params.push(null)
        // The decoder refuses larger values of the same shape as well.
        if (!method.decode(params).ok) break
        yield params
      }
    }
  }
}

function legalParams(method: Method, count: number): Params {
  const example = METHOD_EXAMPLES[method.name]?.params.map(({ value }) => value)
  if (example !== undefined && method.decode(example).ok) return example
  const found: unknown[] = []
  const search = (): boolean => {
    if (method.decode(found).ok) return true
    if (found.length === count) return false
    return SMALL.some((value) => {
      found.push(value)
      if (search()) return true
      found.pop()
      return false
    })
  }
  search()
  return found
}
