import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { SentTransaction, sendTransaction } from '#api/dev/send-transaction.ts'
import { HashText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'eth_sendUnsignedTransaction',
  summary: 'Completes and sends a transaction of any account, without its key.',
  needs: ['wallet', 'fill', 'intake', 'dev', 'chain'],
  cost: 'medium',
  params: { transaction: SentTransaction },
  result: HashText,
  run: (resources, { transaction }, context) => sendTransaction(resources, transaction, context, () => true),
})
