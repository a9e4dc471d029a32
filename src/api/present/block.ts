/** Blocks on the wire, in Besu's member order. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock, SizedBlock, TransactionInBlock } from '#chain/read/lookup.ts'
import type { Address } from '#types/address.ts'
import { type Block, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, hashHeader } from '#types/block/block-header.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Authorization } from '#types/transaction/authorization.ts'
import { type Transaction, transactionV } from '#types/transaction/transaction.ts'
import { effectiveGasPrice, maxFeePerGas } from '#types/transaction/transaction-fees.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

const NONCE_DIGITS = 16

/** `isFull`: with complete transactions rather than hashes. */
export function presentBlock(chain: ChainView, known: SizedBlock, isFull: boolean) {
  const { hash, block } = known
  const head = { hash, header: block.header }
  const totalDifficulty = hasTotalDifficulty(block.header) ? chain.totalDifficulty(head) : undefined
  return presentParts(
    head,
    block,
    known.size,
    totalDifficulty,
    isFull ? presentTransactions(chain, known) : block.transactions.map((transaction) => transaction.hash),
  )
}

/** As in Besu, an ommer's difficulty replaces the total difficulty. */
export function presentOmmer(header: BlockHeader) {
  const withdrawals = header.withdrawalsRoot === undefined ? undefined : []
  const block: Block = { header, transactions: [], ommers: [], withdrawals }
  const known: KnownHeader = { hash: hashHeader(header), header }
  return presentParts(known, block, encodeBlock(block).length, header.difficulty, [] as readonly Hash[])
}

/** Senders are stored with the receipts; for a block that was never executed they are recovered. */
function presentTransactions(chain: ChainView, { hash, block }: KnownBlock) {
  const place = transactionBlock(block.header, hash)
  const receipts = chain.lookup.receipts(hash)
  return block.transactions.map((transaction, index) =>
    presentTransaction(place, index, transaction, receipts?.[index]?.sender ?? recoverSender(transaction)),
  )
}

/** Undefined if the block has no such transaction. */
export function presentTransactionAt(chain: ChainView, { hash, block }: KnownBlock, index: number) {
  const transaction = block.transactions[index]
  const known = { hash, header: block.header }
  return transaction && presentMined(chain, { known, index, transaction })
}

export function presentMined(chain: ChainView, { known, index, transaction }: TransactionInBlock) {
  const sender = chain.lookup.receiptAt(known, index)?.receipt.sender ?? recoverSender(transaction)
  return presentTransaction(transactionBlock(known.header, known.hash), index, transaction, sender)
}

export function presentParts<Transactions>(
  { hash, header }: KnownHeader,
  { ommers, withdrawals }: Block,
  size: number,
  totalDifficulty: bigint | undefined,
  transactions: Transactions,
) {
  return {
    number: formatQuantity(header.number),
    hash,
    mixHash: header.mixHash,
    parentHash: header.parentHash,
    nonce: `0x${header.nonce.toString(16).padStart(NONCE_DIGITS, '0')}`,
    sha3Uncles: header.ommersHash,
    logsBloom: formatData(header.logsBloom),
    transactionsRoot: header.transactionsRoot,
    stateRoot: header.stateRoot,
    receiptsRoot: header.receiptsRoot,
    miner: header.coinbase,
    difficulty: formatQuantity(header.difficulty),
    totalDifficulty: optionalQuantity(totalDifficulty),
    extraData: formatData(header.extraData),
    baseFeePerGas: optionalQuantity(header.baseFeePerGas),
    size: formatQuantity(size),
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    timestamp: formatQuantity(header.timestamp),
    uncles: ommers.map((ommer) => hashHeader(ommer)),
    transactions,
    withdrawalsRoot: header.withdrawalsRoot,
    withdrawals: withdrawals?.map(presentWithdrawal),
    blobGasUsed: optionalQuantity(header.blobGasUsed),
    excessBlobGas: optionalQuantity(header.excessBlobGas),
    parentBeaconBlockRoot: header.parentBeaconBlockRoot,
    requestsHash: header.requestsHash,
  }
}

/** Proof of stake has no difficulty, so there is no total. */
function hasTotalDifficulty({ difficulty }: BlockHeader): boolean {
  return difficulty > 0n
}

export function presentWithdrawal({ index, validatorIndex, address, amountGwei }: Withdrawal) {
  return {
    index: formatQuantity(index),
    validatorIndex: formatQuantity(validatorIndex),
    address,
    amount: formatQuantity(amountGwei),
  }
}

function optionalQuantity(value: bigint | undefined): string | undefined {
  return value === undefined ? undefined : formatQuantity(value)
}

/** The texts that transactions of one block share. */
export interface TransactionBlock {
  readonly header: BlockHeader
  readonly hash: Hash
  readonly number: string
  readonly timestamp: string
}

export function transactionBlock(header: BlockHeader, hash: Hash): TransactionBlock {
  return { header, hash, number: formatQuantity(header.number), timestamp: formatQuantity(header.timestamp) }
}

/** A transaction of a block, in Besu's member order. */
export function presentTransaction(
  block: TransactionBlock,
  index: number,
  transaction: Transaction,
  sender: Address,
) {
  const { hash, number, timestamp } = block
  const place = { hash, number, timestamp, index: formatQuantity(index) }
  return fieldsOf(place, effectiveGasPrice(transaction, block.header.baseFeePerGas), transaction, sender)
}

/** A transaction in no block: its price is not known, so it shows the maximum. */
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
