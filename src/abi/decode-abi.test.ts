import { deepEqual, equal, notEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeAbiParameters, getAddress, toFunctionSelector } from 'viem'
import { withChecksum } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { formatData, parseData } from '#types/hex.ts'
import { parseAbiFields, parseAbiType, signatureOf } from './abi-type.ts'
import { signatureHash } from './contract-abi.ts'
import { type AbiValue, decodeAbi } from './decode-abi.ts'

interface Sample {
  readonly type: string
  readonly components?: readonly (Sample & { readonly name: string })[]
  readonly value: unknown
}

const word = fc.uint8Array({ minLength: 32, maxLength: 32 })
const atoms: fc.Arbitrary<Sample> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 32 }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }))
    .map(([bytes, value]) => ({ type: `uint${bytes * 8}`, value: BigInt.asUintN(bytes * 8, value) })),
  fc
    .tuple(fc.integer({ min: 1, max: 32 }), fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }))
    .map(([bytes, value]) => ({ type: `int${bytes * 8}`, value: BigInt.asIntN(bytes * 8, value) })),
  fc.boolean().map((value) => ({ type: 'bool', value })),
  word.map((bytes) => ({
    type: 'address',
    value: getAddress(formatData(bytes.subarray(12)) as `0x${string}`),
  })),
  fc
    .tuple(fc.integer({ min: 1, max: 32 }), word)
    .map(([size, bytes]) => ({ type: `bytes${size}`, value: formatData(bytes.subarray(0, size)) })),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ type: 'bytes', value: formatData(bytes) })),
  fc.string({ maxLength: 40, unit: 'grapheme' }).map((value) => ({ type: 'string', value })),
)
const { sample } = fc.letrec<{ sample: Sample; list: Sample; tuple: Sample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 3 }, atoms, tie('list'), tie('tuple')),
  list: fc.tuple(tie('sample'), fc.nat({ max: 3 }), fc.boolean()).map(([item, count, isFixed]) => ({
    ...item,
    type: `${item.type}[${isFixed ? count : ''}]`,
    value: Array.from({ length: count }, () => item.value),
  })),
  tuple: fc.array(tie('sample'), { minLength: 1, maxLength: 4 }).map((items) => {
    const components = items.map((item, index) => ({ ...item, name: `f${index}` }))
    const value = Object.fromEntries(components.map((each) => [each.name, each.value]))
    return { type: 'tuple', components, value }
  }),
}))

/** The value in viem's form. */
function plain(value: AbiValue): unknown {
  if (value instanceof Uint8Array) return formatData(value)
  if (typeof value !== 'object') return value
  if ('address' in value) return withChecksum(value.address)
  if ('items' in value) return value.items.map(plain)
  return Object.fromEntries(value.fields.map((field) => [field.name, plain(field.value)]))
}

test('values that viem encodes decode to the same values', () => {
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 4 }), (samples) => {
      const inputs = samples.map((each, index) => ({ ...each, name: `p${index}` }))
      const data = encodeAbiParameters(
        inputs,
        samples.map(({ value }) => value),
      )
      const fields = parseAbiFields(inputs)!
      deepEqual(
        decodeAbi(fields, parseData(data))?.map(({ value }) => plain(value)),
        samples.map(({ value }) => value),
      )
      equal(
        signatureHash(signatureOf('f', fields)).slice(0, 10),
        toFunctionSelector({ type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' }),
      )
    }),
    { numRuns: 500 },
  )
})

test('unknown types are refused', () => {
  for (const text of ['uint7', 'uint264', 'bytes33', 'bytes0', 'uint', 'float', 'tuple', 'uint8[-1]', '']) {
    const isShort = text === 'uint'
    equal(parseAbiType(text) === undefined, !isShort, text)
  }
  equal(parseAbiType(`uint8${'[]'.repeat(17)}`), undefined)
  notEqual(parseAbiType(`uint8${'[]'.repeat(15)}`), undefined)
})

const wordOf = (value: bigint): Uint8Array => parseData(`0x${value.toString(16).padStart(64, '0')}`)
const decodes = (type: string, ...words: readonly bigint[]): boolean =>
  decodeAbi([{ name: '', type: parseAbiType(type)! }], concatBytes(...words.map(wordOf))) !== undefined

test('data with other padding or a wrong length is not decoded', () => {
  for (const [type, word] of [
    ['bool', 2n],
    ['uint8', 256n],
    ['int8', 128n],
    ['address', 2n ** 160n],
    ['bytes31', 1n],
  ] as const) {
    equal(decodes(type, word), false, type)
  }
  equal(decodes('uint256'), false)
  equal(decodes('string', 32n, 33n, 0n), false)
  equal(decodes('string', 2n ** 255n, 1n, 0n), false)
})

test('a few words that describe billions of values are refused at once', () => {
  // Every list contains the next one twice: 2^14 lists.
  const lists = Array.from({ length: 14 }, () => [2n, 64n, 64n]).flat()
  equal(decodes(`uint8${'[]'.repeat(15)}`, 32n, ...lists, 0n), false)
  equal(decodes(`uint8${'[]'.repeat(12)}`, 32n, ...lists.slice(9), 0n), true)
  equal(decodes(`uint8${'[999999999]'.repeat(15)}`, 1n), false)
  const empty = { kind: 'tuple', fields: [] } as const
  const endless = { kind: 'list', item: empty, length: 999_999_999 } as const
  equal(decodeAbi([{ name: '', type: endless }], new Uint8Array(32)), undefined)
  // A thousand texts that are all the same bytes.
  const count = 1_000
  const data = new Uint8Array(100_000)
  data.set(concatBytes(wordOf(32n), wordOf(BigInt(count))))
  for (let index = 0; index < count; index++) data.set(wordOf(BigInt(count * 32)), 64 + 32 * index)
  data.set(wordOf(50_000n), 64 + 32 * count)
  const isDecoded = decodeAbi([{ name: '', type: parseAbiType('string[]')! }], data) !== undefined
  equal(isDecoded, false)
})
