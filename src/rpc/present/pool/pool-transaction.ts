/** Transactions of the pool, as the methods of TXPOOL show them. */
import { loadCrypto } from '#evm/crypto.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { PoolItem, PoolPage } from '#pool/pool-item.ts'
import type { Live } from '#rpc/contracts.ts'
import { presentPending } from '#rpc/present/transaction.ts'
import type { Address } from '#types/address.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Recover } from '#types/transaction/signature.ts'
import { signatureToBytes } from '#types/transaction/signature.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { signingHash } from '#types/transaction/transaction-sender.ts'

/** Besu's names of the types. */
export const TYPE_NAMES = ['FRONTIER', 'ACCESS_LIST', 'EIP1559', 'BLOB', 'DELEGATE_CODE'] as const

export interface DecodedItem {
  readonly item: PoolItem
  readonly transaction: Transaction
}

/** Senders whose keys are remembered: there is one key for an address, and finding it takes 50 microseconds. */
const MAX_KEYS = 10_000
const keys = new BoundedMap<Address, string>(MAX_KEYS)

/** All of the pool in the order of arrival, page by page: it may change meanwhile. */
export async function* poolItems(pool: Live['pool']): AsyncGenerator<DecodedItem, void, undefined> {
  let page: PoolPage<number> | undefined = await pool.list(0)
  while (page !== undefined) {
    yield* await decodePage(page.items)
    page = page.next === undefined ? undefined : await pool.list(page.next)
  }
}

/** Of one sender, by rising nonce. */
export async function* itemsOf(
  pool: Live['pool'],
  sender: Address,
  fromNonce = 0n,
): AsyncGenerator<DecodedItem, void, undefined> {
  let page: PoolPage<bigint> | undefined = await pool.listOf(sender, fromNonce)
  while (page !== undefined) {
    yield* await decodePage(page.items)
    page = page.next === undefined ? undefined : await pool.listOf(sender, page.next)
  }
}

async function decodePage(items: readonly PoolItem[]): Promise<DecodedItem[]> {
  const { keccak } = await loadCrypto()
  return items.map((item) => ({ item, transaction: decodeTransaction(item.encoded, keccak) }))
}

/** With the bytes of the signature in full, both names of the type, and what other methods do not show. */
export async function presentPoolTransaction({ item, transaction }: DecodedItem) {
  const { r, s, type } = transaction
  return {
    ...(await presentWithKey({ item, transaction })),
    r: formatData(bigintToBytes(r, 32)),
    s: formatData(bigintToBytes(s, 32)),
    transactionType: TYPE_NAMES[type],
  }
}

/** With the key of the sender and the bytes. */
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
