import { literal } from 'zod'
import { changeList, NodeList, observeLists, originOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'

const NAME = 'perm_removeNodesFromAllowlist'

export default defineMethod({
  name: NAME,
  aliases: ['perm_removeNodesFromWhitelist'],
  summary:
    'Takes nodes off the list of those that may connect, disconnects them, and takes them out of the permissions file.',
  needs: ['allowlist'],
  params: { enodes: NodeList },
  changes: { what: 'allowlists', observe: ({ allowlist }) => observeLists(allowlist, 'nodes') },
  result: literal('Success'),
  run: ({ allowlist }, { enodes }, context) =>
    changeList(allowlist, 'nodes', 'remove', enodes, originOf(NAME, context)),
})
