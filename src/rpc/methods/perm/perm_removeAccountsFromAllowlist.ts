import { literal } from 'zod'
import { AccountList, changeList, observeLists, originOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'

const NAME = 'perm_removeAccountsFromAllowlist'

export default defineMethod({
  name: NAME,
  aliases: ['perm_removeAccountsFromWhitelist'],
  summary:
    'Takes accounts off the list of those that may send transactions, and out of the permissions file.',
  needs: ['allowlist'],
  params: { addresses: AccountList },
  changes: { what: 'allowlists', observe: ({ allowlist }) => observeLists(allowlist, 'accounts') },
  result: literal('Success'),
  run: ({ allowlist }, { addresses }, context) =>
    changeList(allowlist, 'accounts', 'remove', addresses, originOf(NAME, context)),
})
