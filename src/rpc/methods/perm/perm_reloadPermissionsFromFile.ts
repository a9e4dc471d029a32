import { literal } from 'zod'
import { observeLists, originOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'

const NAME = 'perm_reloadPermissionsFromFile'

export default defineMethod({
  name: NAME,
  summary:
    'Puts in force what the permissions file says. Where it cannot be used, the lists stay as they are.',
  needs: ['allowlist'],
  params: {},
  changes: {
    what: 'allowlists',
    observe: ({ allowlist }) => observeLists(allowlist, 'accounts', 'nodes'),
  },
  result: literal('Success'),
  run: async ({ allowlist }, _params, context) => {
    const verdict = await allowlist.reload(originOf(NAME, context))
    if (verdict === undefined) throw rpcFault('PERMISSIONING_NOT_ENABLED')
    if (!verdict.ok) throw rpcFault('ALLOWLIST_RELOAD_ERROR')
    return 'Success' as const
  },
})
