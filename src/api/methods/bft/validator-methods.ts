/** Methods that list the validators of a block, from its header or, on QBFT networks, from a contract. */

import { array } from 'zod'
import { requireIbft2, requireQbft, validatorsOf } from '#api/bft-network.ts'
import { defineMethod } from '#api/define-method.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { AddressText, BlockHash, BlockNumber } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { validatorsInHeader } from '#consensus/validators/header-votes.ts'

const BY_HASH = { hash: BlockHash }
const BY_NUMBER = { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') }
const Validators = array(AddressText).nullable()

const LISTED = {
  summary: 'The validators that a block lists; null if there is no such block.',
  needs: ['chain'],
  result: Validators,
} as const

export const ibft_getValidatorsByBlockHash = defineMethod({
  ...LISTED,
  name: 'ibft_getValidatorsByBlockHash',
  params: BY_HASH,
  run: ({ chain }, { hash }) => {
    requireIbft2(chain)
    return listedIn(chain, chain.lookup.header(hash))
  },
})

export const ibft_getValidatorsByBlockNumber = defineMethod({
  ...LISTED,
  name: 'ibft_getValidatorsByBlockNumber',
  params: BY_NUMBER,
  run: ({ chain }, { block }) => {
    requireIbft2(chain)
    return listedIn(chain, resolveBlock(chain, block))
  },
})

function listedIn({ genesis }: ChainView, found: KnownHeader | undefined) {
  return found === undefined ? null : validatorsInHeader(genesis.config.consensus, found.header)
}

export const qbft_getValidatorsByBlockHash = defineMethod({
  name: 'qbft_getValidatorsByBlockHash',
  summary: 'The validators of a block; null if there is no such block.',
  needs: ['chain', 'engine'],
  params: BY_HASH,
  result: Validators,
  run: async ({ chain, engine }, { hash }) => {
    requireQbft(chain)
    const found = chain.lookup.header(hash)
    return found === undefined ? null : await validatorsOf(chain, engine, found, { isNext: false })
  },
})

export const qbft_getValidatorsByBlockNumber = defineMethod({
  name: 'qbft_getValidatorsByBlockNumber',
  summary: 'The validators of a block, or of the next block for pending; null if there is no such block.',
  needs: ['chain', 'engine'],
  params: BY_NUMBER,
  result: Validators,
  run: async ({ chain, engine }, { block }) => {
    requireQbft(chain)
    const found = resolveBlock(chain, block)
    if (found === undefined) return null
    const isNext = block.kind === 'tag' && block.tag === 'pending'
    return await validatorsOf(chain, engine, found, { isNext })
  },
})
