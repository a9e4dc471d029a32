import { array } from 'zod'
import { validatorsInHeader } from '#consensus/validators/header-votes.ts'
import { requireIbft2 } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'

export default defineMethod({
  name: 'ibft_getValidatorsByBlockNumber',
  summary: 'The validators that a block lists; null when there is no such block.',
  needs: ['chain'],
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: array(AddressText).nullable(),
  run: ({ chain }, { block }) => {
    requireIbft2(chain)
    const found = resolveBlock(chain, block)
    return found === undefined ? null : validatorsInHeader(chain.genesis.config.consensus, found.header)
  },
})
