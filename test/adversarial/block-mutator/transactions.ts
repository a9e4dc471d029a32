/** Valid transactions of every type that a fork has, and invalid ones that a proposer may add. */
import type { Address } from '#types/address.ts'
import { includesFork } from '#types/genesis/fork-schedule.ts'
import { ZERO_HASH } from '#types/hash.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'
import { type BlockNetwork, LOGGER, RICH_KEY, VALIDATORS } from './networks.ts'

const CHAIN_ID = 1337n
const PRICE_WEI = 20_000_000_000n
const NO_DATA = new Uint8Array(0)
const SOMEBODY = `0x${'22'.repeat(20)}` as Address

export function transactionsOf(network: BlockNetwork, nonce: number): readonly Transaction[] {
  const has = (fork: 'spuriousDragon' | 'berlin' | 'london') => includesFork(network.fork, fork)
  const legacy = { type: 0, gasPrice: PRICE_WEI, chainId: has('spuriousDragon') ? CHAIN_ID : null } as const
  const all: ((common: Common) => UnsignedTransaction)[] = [
    (common) => ({ ...legacy, ...common }),
    (common) => ({ ...legacy, ...common, to: LOGGER, value: 0n }),
  ]
  if (has('berlin')) {
    all.push((common) => ({ ...common, type: 1, chainId: CHAIN_ID, gasPrice: PRICE_WEI, accessList: [] }))
  }
  if (has('london')) all.push((common) => feeMarket(common))
  return all.map((make, index) => signed(make(commonOf(nonce + index))))
}

type Common = ReturnType<typeof commonOf>

function commonOf(nonce: number) {
  return { nonce: BigInt(nonce), gasLimit: 60_000n, to: SOMEBODY, value: 5n, data: NO_DATA }
}

function feeMarket(common: Common) {
  const fees = { maxFeePerGas: PRICE_WEI, maxPriorityFeePerGas: 1n, accessList: [] }
  return { ...common, ...fees, type: 2, chainId: CHAIN_ID } as const
}

const known = new Map<string, Transaction>()

/** Caches signatures, because the mutator uses the same transactions repeatedly. */
function signed(unsigned: UnsignedTransaction, key: Uint8Array = RICH_KEY): Transaction {
  if (unsigned.data.length > 0) return signTransaction(unsigned, key)
  const name = JSON.stringify([unsigned, key[0]], (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  const transaction = known.get(name) ?? signTransaction(unsigned, key)
  known.set(name, transaction)
  return transaction
}

/** Transactions that no block of the network may contain next, by the reason. */
export function invalidTransactions(nonce: number): Readonly<Record<string, Transaction>> {
  const common = commonOf(nonce)
  const legacy = { ...common, type: 0, chainId: CHAIN_ID, gasPrice: PRICE_WEI } as const
  const blob = { ...feeMarket(common), type: 3, maxFeePerBlobGas: PRICE_WEI } as const
  const hash = `0x01${'00'.repeat(31)}` as typeof ZERO_HASH
  return {
    'other chain': signed({ ...legacy, chainId: 1n }),
    'nonce too high': signed({ ...legacy, nonce: legacy.nonce + 1n }),
    'nonce used': signed({ ...legacy, nonce: 0n }),
    'nonce at its maximum': signed({ ...legacy, nonce: 2n ** 64n - 1n }),
    'gas above the block': signed({ ...legacy, gasLimit: 2n ** 63n }),
    'too little gas': signed({ ...legacy, gasLimit: 20_999n }),
    'no funds': signed({ ...legacy, nonce: 0n, gasPrice: 1n }, VALIDATORS[0]!.key),
    'value above the balance': signed({ ...legacy, value: 2n ** 255n }),
    'price overflow': signed({ ...legacy, gasPrice: 2n ** 256n - 1n }),
    'priority above the fee': signed({ ...feeMarket(common), maxPriorityFeePerGas: PRICE_WEI + 1n }),
    'no blobs': signed({ ...blob, blobVersionedHashes: [] }),
    'seven blobs': signed({ ...blob, blobVersionedHashes: Array(7).fill(hash) }),
    'blob of version 0': signed({ ...blob, blobVersionedHashes: [ZERO_HASH] }),
    'no authorizations': signed({ ...feeMarket(common), type: 4, authorizationList: [] }),
  }
}

/** A valid transaction with one blob; blocks may contain it from Cancun on. */
export function blobTransaction(nonce: number): Transaction {
  const blob = { ...feeMarket(commonOf(nonce)), type: 3, maxFeePerBlobGas: PRICE_WEI } as const
  const hash = `0x01${'00'.repeat(31)}` as typeof ZERO_HASH
  return signed({ ...blob, blobVersionedHashes: [hash] })
}

/** A valid transaction with this many bytes of data. */
export function largeTransaction({ fork }: BlockNetwork, nonce: number, bytes: number): Transaction {
  const chainId = includesFork(fork, 'spuriousDragon') ? CHAIN_ID : null
  const common = { ...commonOf(nonce), data: new Uint8Array(bytes), gasLimit: 16_000_000n }
  return signed({ ...common, type: 0, chainId, gasPrice: PRICE_WEI })
}
