/** Receipts on the wire, in Besu's member order. */

import type { KnownHeader } from '#chain/block/stages.ts'
import {
  NO_RECEIPTS,
  type ReceiptSums,
  type StoredReceipt,
  withReceipt,
} from '#chain/block/stored-receipts.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { blobBaseFee } from '#evm/block/blob-gas.ts'
import { rulesAt } from '#evm/rules.ts'
import { bloomOfLogs, emptyBloom } from '#types/block/bloom.ts'
import type { Log } from '#types/block/log.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { contractAddress } from '#types/transaction/contract-address.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { blobGas, effectiveGasPrice } from '#types/transaction/transaction-fees.ts'
import { type TransactionBlock, transactionBlock } from './block.ts'

/** The values that receipts of one block share. */
interface ReceiptBlock extends TransactionBlock {
  readonly keccak: Keccak
  /** Undefined before Cancun. */
  readonly blobGasPrice: string | undefined
}

export function presentReceipts(chain: ChainView, known: KnownBlock, receipts: readonly StoredReceipt[]) {
  const place = receiptBlock(chain, { hash: known.hash, header: known.block.header })
  let before = NO_RECEIPTS
  return receipts.map((receipt, index) => {
    const presented = presentReceipt(place, index, known.block.transactions[index]!, receipt, before)
    before = withReceipt(before, receipt)
    return presented
  })
}

/** Undefined if the transaction is in no block yet. */
export function presentReceiptOf(chain: ChainView, hash: Hash) {
  const found = chain.transactionInBlock(hash)
  const placed = found && chain.lookup.receiptAt(found.known, found.index)
  if (found === undefined || placed === undefined) return undefined
  const { known, index, transaction } = found
  return presentReceipt(receiptBlock(chain, known), index, transaction, placed.receipt, placed.before)
}

function receiptBlock(chain: ChainView, { hash, header }: KnownHeader): ReceiptBlock {
  const { excessBlobGas } = header
  const blobGasPrice =
    excessBlobGas === undefined
      ? undefined
      : formatQuantity(blobBaseFee(rulesAt(chain.genesis.config, header), excessBlobGas))
  return { ...transactionBlock(header, hash), blobGasPrice, keccak: chain.keccak }
}

function presentReceipt(
  block: ReceiptBlock,
  index: number,
  transaction: Transaction,
  receipt: StoredReceipt,
  before: ReceiptSums,
) {
  const { sender, outcome, cumulativeGasUsed, logs, revertReason } = receipt
  const { to, hash, nonce, type } = transaction
  return {
    blockHash: block.hash,
    blockNumber: block.number,
    contractAddress: to === null ? contractAddress(sender, nonce, block.keccak) : null,
    cumulativeGasUsed: formatQuantity(cumulativeGasUsed),
    from: sender,
    gasUsed: formatQuantity(cumulativeGasUsed - before.gasUsed),
    effectiveGasPrice: formatQuantity(effectiveGasPrice(transaction, block.header.baseFeePerGas)),
    logs: logs.map((log, at) => presentReceiptLog(block, index, transaction, log, before.logs + at)),
    logsBloom: presentBloom(logs, block.keccak),
    root: typeof outcome === 'string' ? outcome : undefined,
    status: typeof outcome === 'string' ? undefined : formatQuantity(outcome),
    to,
    transactionHash: hash,
    transactionIndex: formatQuantity(index),
    revertReason: revertReason && formatData(revertReason),
    type: formatQuantity(type),
    blobGasUsed: type === 3 ? formatQuantity(blobGas(transaction)) : undefined,
    blobGasPrice: type === 3 ? block.blobGasPrice : undefined,
  }
}

const NO_LOGS_BLOOM = formatData(emptyBloom())

function presentBloom(logs: readonly Log[], keccak: Keccak): string {
  return logs.length === 0 ? NO_LOGS_BLOOM : formatData(bloomOfLogs(logs, keccak))
}

/** In receipts, logs have another member order. */
function presentReceiptLog(
  block: TransactionBlock,
  transactionIndex: number,
  { hash }: Transaction,
  { address, topics, data }: Log,
  logIndex: number,
) {
  return {
    address,
    topics,
    data: formatData(data),
    blockNumber: block.number,
    transactionHash: hash,
    transactionIndex: formatQuantity(transactionIndex),
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    logIndex: formatQuantity(logIndex),
    removed: false,
  }
}
