import { defineMethod } from '#api/define-method.ts'
import { DataText, TransactionHash } from '#api/schema/values.ts'
import { formatData } from '#types/hex.ts'

export default defineMethod({
  name: 'debug_getRawTransaction',
  summary: 'A transaction of the chain in its encoded form.',
  needs: ['chain'],
  params: { hash: TransactionHash },
  result: DataText.nullable(),
  run: ({ chain }, { hash }) => {
    const found = chain.lookup.transactionInBlock(hash)
    return found === undefined ? null : formatData(found.transaction.encoded)
  },
})
