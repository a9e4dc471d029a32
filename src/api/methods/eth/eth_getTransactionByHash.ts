import { union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentMined, presentPending } from '#api/present/block.ts'
import { PendingTransactionResult, TransactionResult } from '#api/schema/results.ts'
import { TransactionHash } from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Hash } from '#types/hash.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

export default defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction of the chain or the pool by its hash; null if unknown.',
  needs: ['chain', 'pool'],
  params: { hash: TransactionHash },
  count: 'exact',
  result: union([TransactionResult, PendingTransactionResult]).nullable(),
  run: async ({ chain, pool }, { hash }) => {
    const mined = () => {
      const found = chain.transactionInBlock(hash)
      return found && presentMined(chain, found)
    }
    const presented = mined()
    if (presented !== undefined) return presented
    const waiting = await pool.get(hash)
    if (waiting !== undefined) {
      const { keccak } = await loadCrypto()
      return presentPending(decodeTransaction(waiting.encoded, keccak), waiting.sender)
    }
    // A transaction that left the pool for a block is in the chain, or will be once the block is announced here.
    return mined() ?? presentStored(chain, hash) ?? null
  },
})

/** A transaction whose block is not announced yet: it is pending. */
function presentStored({ lookup }: ChainView, hash: Hash) {
  const found = lookup.transactionInBlock(hash)
  const placed = found && lookup.receiptAt(found.known, found.index)
  return placed && presentPending(found.transaction, placed.receipt.sender)
}
