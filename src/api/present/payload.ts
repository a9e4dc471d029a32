import type { Block } from '#types/block/block.ts'
import type { Hash } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { decodePooledTransaction } from '#types/transaction/blob-sidecar.ts'
import { presentWithdrawal } from './block.ts'

/** The blobs of a built block. `withBlobs` are its transactions with blobs, as peers exchange them. */
export function presentBlobsBundle(withBlobs: readonly Uint8Array[], keccak: Keccak) {
  const sidecars = withBlobs.flatMap((bytes) => decodePooledTransaction(bytes, keccak).sidecar ?? [])
  return {
    commitments: sidecars.flatMap(({ commitments }) => commitments.map(formatData)),
    proofs: sidecars.flatMap(({ proofs }) => proofs.map(formatData)),
    blobs: sidecars.flatMap(({ blobs }) => blobs.map(formatData)),
  }
}

/** A block as consensus clients receive it; members that the fork lacks are absent. */
export function presentPayload({ header, transactions, withdrawals }: Block, hash: Hash) {
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
    transactions: transactions.map(({ encoded }) => formatData(encoded)),
    ...(withdrawals === undefined ? {} : { withdrawals: withdrawals.map(presentWithdrawal) }),
  }
}
