import { array } from 'zod'
import { requireQbft, validatorsAfter, validatorsOf } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'

export default defineMethod({
  name: 'qbft_getValidatorsByBlockNumber',
  summary: 'The validators of a block, and with pending those of the next; null when there is no such block.',
  needs: ['chain', 'engine'],
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: array(AddressText).nullable(),
  run: async ({ chain, engine }, { block }) => {
    requireQbft(chain)
    const found = resolveBlock(chain, block)
    if (found === undefined) return null
    const isNext = block.kind === 'tag' && block.tag === 'pending'
    return await (isNext ? validatorsAfter : validatorsOf)(chain, engine, found)
  },
})
