import { boolean } from 'zod'
import { requireQbft, requireVotes, VOTE_CHANGES } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { Address } from '#rpc/schema/address.ts'

export default defineMethod({
  name: 'qbft_discardValidatorVote',
  summary: 'Withdraws the vote of this node about a validator; votes in existing blocks stay.',
  needs: ['chain', 'consensus'],
  params: { address: Address },
  changes: VOTE_CHANGES,
  result: boolean(),
  run: async ({ chain, consensus }, { address }) => {
    requireQbft(chain)
    requireVotes(chain)
    await consensus.discardVote(address)
    return true
  },
})
