import { union } from 'zod'
import { findBySenderAndNonce } from '#chain/read/sender-nonce.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'
import { itemsOf, presentWithKey } from '#rpc/present/pool/pool-transaction.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import { Address } from '#rpc/schema/address.ts'
import { Nonce } from '#rpc/schema/small-number.ts'
import { KeyedTransactionResult, TransactionResult } from '#rpc/schema/transaction.ts'

export default defineMethod({
  name: 'eth_getTransactionBySenderAndNonce',
  summary:
    'A transaction of the chain or of the pool by its sender and nonce; null when there is none, or its state is not kept.',
  needs: ['chain', 'pool'],
  params: { sender: Address, nonce: Nonce },
  count: 'exact',
  result: union([TransactionResult, KeyedTransactionResult]).nullable(),
  run: async ({ chain, pool }, { sender, nonce }) => {
    try {
      const found = findBySenderAndNonce(chain, sender, nonce)
      if (found !== undefined) return presentTransactionAt(chain, found.known, found.index) ?? null
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
