import { literal } from 'zod'
import { changeList, NodeList, observeLists, originOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'

const NAME = 'perm_addNodesToAllowlist'

export default defineMethod({
  name: NAME,
  aliases: ['perm_addNodesToWhitelist'],
  summary: 'Permits nodes to connect, and writes them to the permissions file.',
  needs: ['allowlist'],
  params: { enodes: NodeList },
  changes: { what: 'allowlists', observe: ({ allowlist }) => observeLists(allowlist, 'nodes') },
  result: literal('Success'),
  run: ({ allowlist }, { enodes }, context) =>
    changeList(allowlist, 'nodes', 'add', enodes, originOf(NAME, context)),
})
