import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { SentTransaction, sendTransaction } from '#api/dev/send-transaction.ts'
import { HashText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'eth_sendTransaction',
  summary:
    'Completes a transaction, signs it with an account of the node and sends it. An impersonated account needs no key.',
  needs: ['wallet', 'fill', 'intake', 'dev', 'chain'],
  cost: 'medium',
  params: { transaction: SentTransaction },
  result: HashText,
  run: (resources, { transaction }, context) =>
    sendTransaction(resources, transaction, context, (from) => resources.dev.impersonates(from)),
})
