import { literal } from 'zod'
import { AccountList, changeList, observeLists, originOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'

const NAME = 'perm_addAccountsToAllowlist'

export default defineMethod({
  name: NAME,
  aliases: ['perm_addAccountsToWhitelist'],
  summary: 'Permits accounts to send transactions, and writes them to the permissions file.',
  needs: ['allowlist'],
  params: { addresses: AccountList },
  changes: { what: 'allowlists', observe: ({ allowlist }) => observeLists(allowlist, 'accounts') },
  result: literal('Success'),
  run: ({ allowlist }, { addresses }, context) =>
    changeList(allowlist, 'accounts', 'add', addresses, originOf(NAME, context)),
})
