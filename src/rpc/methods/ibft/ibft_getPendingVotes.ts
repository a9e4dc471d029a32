import { boolean, record } from 'zod'
import { requireIbft2 } from '#rpc/bft-network.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { AddressText } from '#rpc/schema/address.ts'

export default defineMethod({
  name: 'ibft_getPendingVotes',
  summary: 'The votes of this node about validators: true to add, false to remove.',
  needs: ['chain', 'consensus'],
  params: {},
  result: record(AddressText, boolean()),
  run: async ({ chain, consensus }) => {
    requireIbft2(chain)
    const votes = await consensus.pendingVotes()
    return Object.fromEntries(votes.map(({ recipient, type }) => [recipient, type === 'add']))
  },
})
