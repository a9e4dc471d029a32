import { boolean } from 'zod'
import { EnodeUrl, PEER_CHANGES, presentPeerChange } from '#rpc/change-peers.ts'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'admin_removePeer',
  summary: 'Disconnects a node and no longer dials it. False if it was not kept.',
  needs: ['peers'],
  params: { enode: EnodeUrl },
  count: 'exact',
  changes: PEER_CHANGES,
  result: boolean(),
  run: async ({ peers }, { enode }) => presentPeerChange(await peers.remove(enode)),
})
