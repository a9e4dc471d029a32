import { findBySenderAndNonce } from '#chain/read/sender-nonce.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { presentTransactionAt } from '#rpc/present/block.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import { Address } from '#rpc/schema/address.ts'
import { Nonce } from '#rpc/schema/small-number.ts'
import { TransactionResult } from '#rpc/schema/transaction.ts'

export default defineMethod({
  name: 'eth_getTransactionBySenderAndNonce',
  summary:
    'A transaction of the chain by its sender and nonce; null when there is none, or its state is not kept.',
  needs: ['chain'],
  params: { sender: Address, nonce: Nonce },
  count: 'exact',
  result: TransactionResult.nullable(),
  run: ({ chain }, { sender, nonce }) => {
    try {
      const found = findBySenderAndNonce(chain, sender, nonce)
      return (found && presentTransactionAt(chain, found.known, found.index)) ?? null
    } catch (error) {
      if (isStateUnavailable(error)) return null
      throw error
    }
  },
})
