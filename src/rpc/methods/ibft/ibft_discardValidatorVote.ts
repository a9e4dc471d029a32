import { boolean } from 'zod'
import { requireIbft2, VOTE_CHANGES } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { Address } from '#rpc/schema/address.ts'

export default defineMethod({
  name: 'ibft_discardValidatorVote',
  summary: 'Withdraws the vote of this node about a validator; votes in existing blocks stay.',
  needs: ['chain', 'consensus'],
  params: { address: Address },
  changes: VOTE_CHANGES,
  result: boolean(),
  run: async ({ chain, consensus }, { address }) => {
    requireIbft2(chain)
    await consensus.discardVote(address)
    return true
  },
})
