/** Blocks on the wire. The order of members is Besu's. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock, SizedBlock } from '#chain/read/lookup.ts'
import { type Block, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, hashHeader } from '#types/block/block-header.ts'
import type { Withdrawal } from '#types/block/withdrawal.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { presentTransaction, transactionBlock } from './transaction.ts'

const NONCE_DIGITS = 16

/** `isFull`: with whole transactions and not only their hashes. */
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

/** An ommer is a header without a body of its own; its difficulty stands for the sum, as in Besu. */
export function presentOmmer(header: BlockHeader) {
  const withdrawals = header.withdrawalsRoot === undefined ? undefined : []
  const block: Block = { header, transactions: [], ommers: [], withdrawals }
  const known: KnownHeader = { hash: hashHeader(header), header }
  return presentParts(known, block, encodeBlock(block).length, header.difficulty, [] as readonly Hash[])
}

/** Senders are stored with the receipts; a block that was never executed has none, and so they are recovered. */
function presentTransactions(chain: ChainView, { hash, block }: KnownBlock) {
  const place = transactionBlock(block.header, hash)
  const receipts = chain.lookup.receipts(hash)
  return block.transactions.map((transaction, index) =>
    presentTransaction(place, index, transaction, receipts?.[index]?.sender ?? recoverSender(transaction)),
  )
}

/** undefined: the block has no such transaction. */
export function presentTransactionAt(chain: ChainView, { hash, block }: KnownBlock, index: number) {
  const transaction = block.transactions[index]
  if (transaction === undefined) return undefined
  const sender = chain.lookup.receipts(hash)?.[index]?.sender ?? recoverSender(transaction)
  return presentTransaction(transactionBlock(block.header, hash), index, transaction, sender)
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

/** Proof of stake has no difficulty, and so no sum of it is told. */
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
