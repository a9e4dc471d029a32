import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { AddressText } from '#rpc/schema/address.ts'

export default defineMethod({
  name: 'perm_getAccountsAllowlist',
  aliases: ['perm_getAccountsWhitelist'],
  summary: 'Lists the accounts that may send transactions, in the order of the permissions file.',
  needs: ['allowlist'],
  params: {},
  result: array(AddressText),
  run: async ({ allowlist }) => {
    const accounts = await allowlist.accounts()
    if (accounts === undefined) throw rpcFault('ACCOUNT_ALLOWLIST_NOT_ENABLED')
    return accounts
  },
})
