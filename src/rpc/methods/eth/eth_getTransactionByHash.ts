import { union } from 'zod'
import { loadCrypto } from '#evm/crypto.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'
import { presentPending } from '#rpc/present/transaction.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { PendingTransactionResult, TransactionResult } from '#rpc/schema/transaction.ts'
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
      const found = chain.lookup.transactionInBlock(hash)
      return found && presentTransactionAt(chain, found.known, found.index)
    }
    const presented = mined()
    if (presented !== undefined) return presented
    const waiting = await pool.get(hash)
    if (waiting !== undefined) {
      const { keccak } = await loadCrypto()
      return presentPending(decodeTransaction(waiting.encoded, keccak), waiting.sender)
    }
    // Whoever left the pool for a block meanwhile is in the chain now.
    return mined() ?? null
  },
})
