import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { Param } from '#rpc/param.ts'
import { DataText } from '#rpc/schema/data.ts'
import { HashText } from '#rpc/schema/hash.ts'
import { parsedBy } from '#rpc/schema/parsed-text.ts'
import { parseHash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'

/** Here, unlike elsewhere, the 0x may not be missing. */
const PrefixedHash = string()
  .startsWith('0x')
  .transform(parsedBy(parseHash))
  .meta(HashText.meta() ?? {})

export default defineMethod({
  name: 'debug_getRawTransaction',
  summary: 'A transaction of the chain, as it was signed.',
  needs: ['chain'],
  params: { hash: new Param(PrefixedHash, 'INVALID_TRANSACTION_HASH_PARAMS') },
  result: DataText.nullable(),
  run: ({ chain }, { hash }) => {
    const found = chain.lookup.transaction(hash)
    return found === undefined ? null : formatData(found.transaction.encoded)
  },
})
