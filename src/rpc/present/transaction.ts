import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Authorization } from '#types/transaction/authorization.ts'
import { type Transaction, transactionV } from '#types/transaction/transaction.ts'
import { effectiveGasPrice, maxFeePerGas } from '#types/transaction/transaction-fees.ts'

/** Where a transaction stands. Texts are those that all transactions of the block share. */
export interface TransactionBlock {
  readonly header: BlockHeader
  readonly hash: Hash
  readonly number: string
  readonly timestamp: string
}

export function transactionBlock(header: BlockHeader, hash: Hash): TransactionBlock {
  return { header, hash, number: formatQuantity(header.number), timestamp: formatQuantity(header.timestamp) }
}

/** A transaction of a block. The order of members is Besu's. */
export function presentTransaction(
  block: TransactionBlock,
  index: number,
  transaction: Transaction,
  sender: Address,
) {
  const place = {
    hash: block.hash,
    number: block.number,
    timestamp: block.timestamp,
    index: formatQuantity(index),
  }
  return fieldsOf(place, effectiveGasPrice(transaction, block.header.baseFeePerGas), transaction, sender)
}

/** One that is in no block: what it will pay is not known, so that its price is the most that it may. */
export function presentPending(transaction: Transaction, sender: Address) {
  const place = { hash: null, number: null, timestamp: null, index: null }
  return fieldsOf(place, maxFeePerGas(transaction), transaction, sender)
}

interface TransactionPlace<H, Q> {
  readonly hash: H
  readonly number: Q
  readonly timestamp: Q
  readonly index: Q
}

function fieldsOf<H, Q>(
  place: TransactionPlace<H, Q>,
  gasPrice: bigint,
  transaction: Transaction,
  sender: Address,
) {
  const { type, chainId, yParity, r, s } = transaction
  const feeMarket = 'maxFeePerGas' in transaction ? transaction : undefined
  return {
    accessList: 'accessList' in transaction ? transaction.accessList : undefined,
    blockHash: place.hash,
    blockNumber: place.number,
    blockTimestamp: place.timestamp,
    chainId: chainId === null ? undefined : formatQuantity(chainId),
    from: sender,
    gas: formatQuantity(transaction.gasLimit),
    gasPrice: formatQuantity(gasPrice),
    maxPriorityFeePerGas: feeMarket && formatQuantity(feeMarket.maxPriorityFeePerGas),
    maxFeePerGas: feeMarket && formatQuantity(feeMarket.maxFeePerGas),
    maxFeePerBlobGas: type === 3 ? formatQuantity(transaction.maxFeePerBlobGas) : undefined,
    hash: transaction.hash,
    input: formatData(transaction.data),
    nonce: formatQuantity(transaction.nonce),
    to: transaction.to,
    transactionIndex: place.index,
    type: formatQuantity(type),
    value: formatQuantity(transaction.value),
    yParity: type === 0 ? undefined : formatQuantity(yParity),
    v: formatQuantity(transactionV(transaction, yParity)),
    r: formatQuantity(r),
    s: formatQuantity(s),
    blobVersionedHashes: type === 3 ? transaction.blobVersionedHashes : undefined,
    authorizationList: type === 4 ? transaction.authorizationList.map(presentAuthorization) : undefined,
  }
}

export function presentAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization) {
  return {
    chainId: formatQuantity(chainId),
    address,
    nonce: formatQuantity(nonce),
    yParity: formatQuantity(yParity),
    r: formatQuantity(r),
    s: formatQuantity(s),
  }
}
