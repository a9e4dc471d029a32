import { boolean } from 'zod'
import { EnodeUrl, PEER_CHANGES, presentPeerChange } from '#rpc/change-peers.ts'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'admin_addPeer',
  summary:
    'Keeps a connection to a node: it is dialled until it is there. False if it was kept already, or is this node.',
  needs: ['peers'],
  params: { enode: EnodeUrl },
  count: 'exact',
  changes: PEER_CHANGES,
  result: boolean(),
  run: async ({ peers }, { enode }) => presentPeerChange(await peers.add(enode)),
})
