import { requireAdmitted } from '#rpc/calls/admission-fault.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { RawTransaction, requireBytes } from '#rpc/schema/pool/raw-transaction.ts'

export default defineMethod({
  name: 'eth_sendRawTransaction',
  summary: 'Hands a signed transaction to the pool and tells its hash.',
  needs: ['intake'],
  params: { transaction: RawTransaction },
  count: 'exact',
  result: HashText,
  run: async ({ intake }, { transaction }) => requireAdmitted(await intake.submit(requireBytes(transaction))),
})
