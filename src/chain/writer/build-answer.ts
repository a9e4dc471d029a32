import { type BuiltBlock, tipsOf } from '#chain/build/build-block.ts'
import type { LeftOut } from '#chain/build/candidates.ts'
import type { Hash } from '#types/hash.ts'
import { BLOB_TYPE } from '#types/transaction/transaction.ts'

/** A built block as the writer thread returns it. */
export interface BuildAnswer {
  readonly hash: Hash
  readonly block: Uint8Array
  readonly transactions: number
  /** The transactions with blobs, in order. */
  readonly blobTransactions: readonly Hash[]
  readonly leftOut: readonly LeftOut[]
  /** EIP-7685; empty before Prague. */
  readonly requests: readonly Uint8Array[]
  /** The priority fees, which the coinbase receives. */
  readonly tipsWei: bigint
}

export function buildAnswerOf({ executed, leftOut, encoded }: BuiltBlock): BuildAnswer {
  const { hash, block, execution } = executed
  return {
    hash,
    block: encoded,
    transactions: block.transactions.length,
    blobTransactions: block.transactions.filter(({ type }) => type === BLOB_TYPE).map(({ hash }) => hash),
    leftOut,
    requests: execution.requests ?? [],
    tipsWei: tipsOf(block, execution),
  }
}
