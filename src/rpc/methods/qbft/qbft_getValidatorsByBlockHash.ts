import { array } from 'zod'
import { requireQbft, validatorsOf } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { BlockHash } from '#rpc/schema/hash.ts'

export default defineMethod({
  name: 'qbft_getValidatorsByBlockHash',
  summary: 'The validators of a block; null when there is no such block.',
  needs: ['chain', 'engine'],
  params: { hash: BlockHash },
  result: array(AddressText).nullable(),
  run: async ({ chain, engine }, { hash }) => {
    requireQbft(chain)
    const found = chain.lookup.header(hash)
    return found === undefined ? null : await validatorsOf(chain, engine, found)
  },
})
