/** Transactions for tests: a plain one of each type, and arbitrary ones. */
import fc from 'fast-check'
import { type Address, addressFromBytes, parseAddress } from '#types/address.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import type { UnsignedTransaction } from './transaction.ts'

const call = {
  nonce: 9n,
  gasLimit: 21_000n,
  to: parseAddress('35'.repeat(20)),
  value: 10n ** 18n,
  data: new Uint8Array(0),
}
const feeMarket = {
  ...call,
  chainId: 1n,
  maxPriorityFeePerGas: 2n,
  maxFeePerGas: 20_000_000_000n,
  accessList: [],
}

/** One of each type, in order. The first is the example of EIP-155. */
export const PLAIN_TRANSACTIONS = [
  { type: 0, chainId: 1n, gasPrice: 20_000_000_000n, ...call },
  { type: 1, chainId: 1n, gasPrice: 20_000_000_000n, ...call, accessList: [] },
  { type: 2, ...feeMarket },
  {
    type: 3,
    ...feeMarket,
    maxFeePerBlobGas: 1n,
    blobVersionedHashes: [`0x01${'00'.repeat(31)}` as Hash],
  },
  {
    type: 4,
    ...feeMarket,
    authorizationList: [{ chainId: 1n, address: call.to, nonce: 0n, yParity: 0, r: 1n, s: 1n }],
  },
] as const satisfies readonly UnsignedTransaction[]

/** Objects like literals, for deepEqual. */
const record = <Value>(shape: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> }) =>
  fc.record(shape, { noNullPrototype: true })
const bits = (count: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(count) - 1n })
const fixed = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const address: fc.Arbitrary<Address> = fixed(20).map(addressFromBytes)
const hash: fc.Arbitrary<Hash> = fixed(32).map(hashFromBytes)

const anyCall = {
  nonce: bits(64),
  gasLimit: bits(64),
  to: fc.option(address),
  value: bits(256),
  data: fc.uint8Array({ maxLength: 100 }),
}
const accessList = fc.array(record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }), {
  maxLength: 3,
})
const anyFeeMarket = {
  ...anyCall,
  chainId: bits(256),
  maxPriorityFeePerGas: bits(256),
  maxFeePerGas: bits(256),
  accessList,
}
const authorization = record({
  chainId: bits(256),
  address,
  nonce: bits(64),
  yParity: fc.integer({ min: 0, max: 255 }),
  r: bits(256),
  s: bits(256),
})

/** A transaction of any type with any fitting bytes and numbers. */
export const anyTransaction: fc.Arbitrary<UnsignedTransaction> = fc.oneof(
  record({
    type: fc.constant(0 as const),
    chainId: fc.option(bits(200).map((id) => id + 1n)),
    gasPrice: bits(256),
    ...anyCall,
  }),
  record({
    type: fc.constant(1 as const),
    chainId: bits(256),
    gasPrice: bits(256),
    ...anyCall,
    accessList,
  }),
  record({ type: fc.constant(2 as const), ...anyFeeMarket }),
  record({
    type: fc.constant(3 as const),
    ...anyFeeMarket,
    to: address,
    maxFeePerBlobGas: bits(256),
    blobVersionedHashes: fc.array(hash, { maxLength: 3 }),
  }),
  record({
    type: fc.constant(4 as const),
    ...anyFeeMarket,
    to: address,
    authorizationList: fc.array(authorization, { maxLength: 3 }),
  }),
)

export const anySignature = record({
  yParity: fc.constantFrom(0 as const, 1 as const),
  r: bits(256),
  s: bits(256),
})
