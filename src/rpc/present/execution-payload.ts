/** A built block as the Engine API shows one. */
import type { BuiltPayload } from '#chain/read/build-payload.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { effectiveGasPrice } from '#types/transaction/transaction-fees.ts'
import { presentWithdrawal } from './block.ts'

export function presentPayload(payload: BuiltPayload, hash: Hash) {
  const { block, execution } = payload
  return {
    executionPayload: { ...presentHeader(block.header, hash), ...presentBody(payload) },
    blockValue: formatQuantity(tipsOf(payload)),
    // Blobs travel beside transactions, and those that blocks hold have none.
    blobsBundle: { commitments: [], proofs: [], blobs: [] },
    shouldOverrideBuilder: false,
    executionRequests: (execution.requests ?? []).map(formatData),
  }
}

function presentHeader(header: BlockHeader, hash: Hash) {
  const { blobGasUsed, excessBlobGas } = header
  return {
    parentHash: header.parentHash,
    feeRecipient: header.coinbase,
    stateRoot: header.stateRoot,
    receiptsRoot: header.receiptsRoot,
    logsBloom: formatData(header.logsBloom),
    prevRandao: header.mixHash,
    blockNumber: formatQuantity(header.number),
    gasLimit: formatQuantity(header.gasLimit),
    gasUsed: formatQuantity(header.gasUsed),
    timestamp: formatQuantity(header.timestamp),
    extraData: formatData(header.extraData),
    baseFeePerGas: formatQuantity(header.baseFeePerGas ?? 0n),
    blockHash: hash,
    ...(blobGasUsed === undefined ? {} : { blobGasUsed: formatQuantity(blobGasUsed) }),
    ...(excessBlobGas === undefined ? {} : { excessBlobGas: formatQuantity(excessBlobGas) }),
  }
}

function presentBody({ block: { transactions, withdrawals } }: BuiltPayload) {
  return {
    transactions: transactions.map(({ encoded }) => formatData(encoded)),
    ...(withdrawals === undefined ? {} : { withdrawals: withdrawals.map(presentWithdrawal) }),
  }
}

/** What its maker gets of it. */
function tipsOf({ block: { header, transactions }, execution: { receipts } }: BuiltPayload): bigint {
  const baseFee = header.baseFeePerGas ?? 0n
  let [value, gasBefore] = [0n, 0n]
  for (const [index, { cumulativeGasUsed }] of receipts.entries()) {
    const price = effectiveGasPrice(transactions[index]!, baseFee)
    value += (cumulativeGasUsed - gasBefore) * (price - baseFee)
    gasBefore = cumulativeGasUsed
  }
  return value
}
