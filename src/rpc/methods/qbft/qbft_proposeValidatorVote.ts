import { boolean } from 'zod'
import { requireQbft, requireVotes, VOTE_CHANGES } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { Address } from '#rpc/schema/address.ts'
import { VoteType } from '#rpc/schema/vote-type.ts'

export default defineMethod({
  name: 'qbft_proposeValidatorVote',
  summary: 'Makes this node vote, in blocks that it makes, for adding a validator or removing one.',
  needs: ['chain', 'consensus'],
  params: { address: Address, isAdd: VoteType },
  changes: VOTE_CHANGES,
  result: boolean(),
  run: async ({ chain, consensus }, { address, isAdd }) => {
    requireQbft(chain)
    requireVotes(chain)
    await consensus.proposeVote(address, isAdd ? 'add' : 'drop')
    return true
  },
})
