import type { Live } from '#api/contracts.ts'
import { presentPending } from '#api/present/block.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { PoolItem, PoolPage } from '#pool/pool-item.ts'
import type { Address } from '#types/address.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { type Recover, signatureToBytes } from '#types/transaction/signature.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { signingHash } from '#types/transaction/transaction-sender.ts'

/** Besu's type names. */
export const TYPE_NAMES = ['FRONTIER', 'ACCESS_LIST', 'EIP1559', 'BLOB', 'DELEGATE_CODE'] as const

export interface DecodedItem {
  readonly item: PoolItem
  readonly transaction: Transaction
}

/** Senders whose public keys are cached: recovering a key takes 50 microseconds. */
const MAX_KEYS = 10_000
const keys = new BoundedMap<Address, string>(MAX_KEYS)

/** The complete pool in order of arrival, page by page; it may change meanwhile. */
export function poolItems(pool: Live['pool']): AsyncGenerator<DecodedItem, void, undefined> {
  return decoded((from) => pool.list(from), 0)
}

/** By ascending nonce. */
export function itemsOf(
  pool: Live['pool'],
  sender: Address,
  fromNonce = 0n,
): AsyncGenerator<DecodedItem, void, undefined> {
  return decoded((from) => pool.listOf(sender, from), fromNonce)
}

async function* decoded<Place>(
  list: (from: Place) => Promise<PoolPage<Place>>,
  first: Place,
): AsyncGenerator<DecodedItem, void, undefined> {
  const { keccak } = await loadCrypto()
  for (let from: Place | undefined = first; from !== undefined; ) {
    const { items, next }: PoolPage<Place> = await list(from)
    yield* items.map((item) => ({ item, transaction: decodeTransaction(item.encoded, keccak) }))
    from = next
  }
}

/** With padded signature values, both names of the type, and further members. */
export async function presentPoolTransaction({ item, transaction }: DecodedItem) {
  const { r, s, type } = transaction
  return {
    ...(await presentWithKey({ item, transaction })),
    r: formatData(bigintToBytes(r, 32)),
    s: formatData(bigintToBytes(s, 32)),
    transactionType: TYPE_NAMES[type],
  }
}

/** With the sender's public key and the raw bytes. */
export async function presentWithKey({ item, transaction }: DecodedItem) {
  const { recover, keccak } = await loadCrypto()
  return {
    ...presentPending(transaction, item.sender),
    publicKey: publicKeyOf(transaction, item.sender, recover, keccak),
    raw: formatData(transaction.encoded),
  }
}

function publicKeyOf(transaction: Transaction, sender: Address, recover: Recover, keccak: Keccak): string {
  const known = keys.get(sender)
  if (known !== undefined) return known
  const { r, s, yParity } = transaction
  const key = formatData(recover(signingHash(transaction, keccak), signatureToBytes(r, s, yParity)))
  keys.set(sender, key)
  return key
}
