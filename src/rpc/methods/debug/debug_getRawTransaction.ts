import { defineMethod } from '#rpc/define-method.ts'
import { DataText } from '#rpc/schema/data.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { formatData } from '#types/hex.ts'

export default defineMethod({
  name: 'debug_getRawTransaction',
  summary: 'A transaction of the chain, as it was signed.',
  needs: ['chain'],
  params: { hash: TransactionHash },
  result: DataText.nullable(),
  run: ({ chain }, { hash }) => {
    const found = chain.lookup.transaction(hash)
    return found === undefined ? null : formatData(found.transaction.encoded)
  },
})
