import { union } from 'zod'
import type { ChainView } from '#chain/read/chain-view.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'
import { presentPending } from '#rpc/present/transaction.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { PendingTransactionResult, TransactionResult } from '#rpc/schema/transaction.ts'
import type { Hash } from '#types/hash.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

export default defineMethod({
  name: 'eth_getTransactionByHash',
  summary: 'A transaction of the chain or of the pool by its hash; null when there is none.',
  needs: ['chain', 'pool'],
  params: { hash: TransactionHash },
  count: 'exact',
  result: union([TransactionResult, PendingTransactionResult]).nullable(),
  run: async ({ chain, pool }, { hash }) => {
    const mined = () => {
      const found = chain.transactionInBlock(hash)
      return found && presentTransactionAt(chain, found.known, found.index)
    }
    const presented = mined()
    if (presented !== undefined) return presented
    const waiting = await pool.get(hash)
    if (waiting !== undefined) {
      const { keccak } = await loadCrypto()
      return presentPending(decodeTransaction(waiting.encoded, keccak), waiting.sender)
    }
    // Whoever left the pool for a block meanwhile is in the chain now, or will be once that is announced here.
    return mined() ?? presentStored(chain, hash) ?? null
  },
})

/** One whose block is not yet the latest: it waits. */
function presentStored({ lookup }: ChainView, hash: Hash) {
  const found = lookup.transactionInBlock(hash)
  const sender = found && lookup.receipts(found.known.hash)?.[found.index]?.sender
  return sender && presentPending(found.known.block.transactions[found.index]!, sender)
}
