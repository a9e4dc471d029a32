import { array } from 'zod'
import { validatorsInHeader } from '#consensus/validators/header-votes.ts'
import { requireIbft2 } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { BlockHash } from '#rpc/schema/hash.ts'

export default defineMethod({
  name: 'ibft_getValidatorsByBlockHash',
  summary: 'The validators that a block lists; null when there is no such block.',
  needs: ['chain'],
  params: { hash: BlockHash },
  result: array(AddressText).nullable(),
  run: ({ chain }, { hash }) => {
    requireIbft2(chain)
    const found = chain.lookup.header(hash)
    return found === undefined ? null : validatorsInHeader(chain.genesis.config.consensus, found.header)
  },
})
