import { deepEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { hashTypedData } from 'viem'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { type TypedData, typedDataDigest } from './typed-data.ts'

const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const digestOf = (data: TypedData) => formatData(typedDataDigest(data, keccak256))

const EVERY_KIND: TypedData = {
  types: {
    Order: [
      { name: 'maker', type: 'Person' },
      { name: 'others', type: 'Person[]' },
      { name: 'pair', type: 'uint8[2]' },
      { name: 'grid', type: 'int16[][2]' },
      { name: 'amount', type: 'uint256' },
      { name: 'loss', type: 'int128' },
      { name: 'isOpen', type: 'bool' },
      { name: 'blob', type: 'bytes' },
      { name: 'id', type: 'bytes4' },
      { name: 'note', type: 'string' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'account', type: 'address' },
    ],
  },
  primaryType: 'Order',
  domain: {
    name: 'Market',
    version: '1',
    chainId: 1337,
    verifyingContract: ADDRESS,
    salt: `0x${'07'.repeat(32)}`,
  },
  message: {
    maker: { name: 'Ann', account: ADDRESS },
    others: [{ name: 'Bob', account: ADDRESS }],
    pair: [1, 255],
    grid: [[-1, 2], []],
    amount: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    loss: '-5',
    isOpen: true,
    blob: '0x0102',
    id: '0xdeadbeef',
    note: 'ünï',
  },
}

test('the digest of every kind of value is the one of viem', () => {
  deepEqual(digestOf(EVERY_KIND), hashTypedData(EVERY_KIND as never))
})

test('a domain with fewer members, and its type written out, give the digest of viem', () => {
  const domain = { name: 'Market' }
  deepEqual(digestOf({ ...EVERY_KIND, domain }), hashTypedData({ ...EVERY_KIND, domain } as never))
  const types = { ...EVERY_KIND.types, EIP712Domain: [{ name: 'name', type: 'string' }] }
  deepEqual(digestOf({ ...EVERY_KIND, types, domain }), digestOf({ ...EVERY_KIND, domain }))
})

for (const [name, change, sentence] of [
  ['an undeclared type', { primaryType: 'Other' }, /The type Other is not declared/],
  ['a missing member', { message: {} }, /Order lacks maker/],
  [
    'a number out of range',
    { message: { ...EVERY_KIND.message, pair: [1, 256] } },
    /256 is not a value of uint8/,
  ],
  [
    'a list of another length',
    { message: { ...EVERY_KIND.message, pair: [1] } },
    /A list of 2 uint8 has 1 items/,
  ],
  ['bytes of another length', { message: { ...EVERY_KIND.message, id: '0x00' } }, /bytes4 has 1 bytes/],
  ['a name of every object', { primaryType: 'toString' }, /The type toString is not declared/],
] as const) {
  test(`${name} is refused`, () => {
    throws(() => digestOf({ ...EVERY_KIND, ...change } as TypedData), sentence)
  })
}

test('a value that is nested without end is refused', () => {
  const types = { Node: [{ name: 'next', type: 'Node' }] }
  let message: Record<string, unknown> = {}
  for (let depth = 0; depth < 1_000; depth++) message = { next: message }
  throws(() => digestOf({ types, primaryType: 'Node', domain: {}, message }), /nested deeper than 64/)
})
