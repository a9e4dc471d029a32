import { union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentMined } from '#api/present/block.ts'
import { itemsOf, presentWithKey } from '#api/present/pool/pool-transaction.ts'
import { isStateUnavailable } from '#api/read-state.ts'
import { KeyedTransactionResult, TransactionResult } from '#api/schema/results.ts'
import { Address, Nonce } from '#api/schema/values.ts'
import { findBySenderAndNonce } from '#chain/read/sender-nonce.ts'

export default defineMethod({
  name: 'eth_getTransactionBySenderAndNonce',
  summary:
    'A transaction of the chain or the pool by sender and nonce; null if unknown or its state is not kept.',
  needs: ['chain', 'pool'],
  params: { sender: Address, nonce: Nonce },
  count: 'exact',
  result: union([TransactionResult, KeyedTransactionResult]).nullable(),
  run: async ({ chain, pool }, { sender, nonce }) => {
    try {
      const found = findBySenderAndNonce(chain, sender, nonce)
      if (found !== undefined) return presentMined(chain, found)
    } catch (error) {
      if (isStateUnavailable(error)) return null
      throw error
    }
    for await (const decoded of itemsOf(pool, sender, nonce)) {
      return decoded.transaction.nonce === nonce ? await presentWithKey(decoded) : null
    }
    return null
  },
})
