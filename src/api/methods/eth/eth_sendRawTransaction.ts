import { RawTransaction, submit } from '#api/calls/submit-transaction.ts'
import { defineMethod } from '#api/define-method.ts'
import { HashText } from '#api/schema/values.ts'

export default defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Sends a signed transaction to the pool and returns its hash.',
  needs: ['intake'],
  params: { transaction: RawTransaction },
  count: 'exact',
  result: HashText,
  run: ({ intake }, { transaction }) => submit(intake, transaction),
})
