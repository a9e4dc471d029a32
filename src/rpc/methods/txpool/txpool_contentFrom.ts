import { defineMethod } from '#rpc/define-method.ts'
import { senderText } from '#rpc/present/pool/pool-content.ts'
import { itemsOf, presentPoolTransaction } from '#rpc/present/pool/pool-transaction.ts'
import { Address } from '#rpc/schema/address.ts'
import { SenderContentResult } from '#rpc/schema/pool/pool-results.ts'

export default defineMethod({
  name: 'txpool_contentFrom',
  summary: 'The transactions of one sender in the pool, pending and queued, by nonce.',
  needs: ['pool'],
  cost: 'medium',
  params: { sender: Address },
  result: SenderContentResult,
  run: ({ pool }, { sender }) => senderText(itemsOf(pool, sender), presentPoolTransaction),
})
