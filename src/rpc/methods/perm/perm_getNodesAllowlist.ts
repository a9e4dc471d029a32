import { array, string } from 'zod'
import { entriesOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'perm_getNodesAllowlist',
  aliases: ['perm_getNodesWhitelist'],
  summary: 'Lists the nodes that may connect, in the order of the permissions file.',
  needs: ['allowlist'],
  params: {},
  result: array(string().meta({ description: 'an enode URL' })),
  run: ({ allowlist }) => entriesOf(allowlist, 'nodes'),
})
