import { array } from 'zod'
import { entriesOf } from '#rpc/change-allowlist.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { AddressText } from '#rpc/schema/address.ts'

export default defineMethod({
  name: 'perm_getAccountsAllowlist',
  aliases: ['perm_getAccountsWhitelist'],
  summary: 'Lists the accounts that may send transactions, in the order of the permissions file.',
  needs: ['allowlist'],
  params: {},
  result: array(AddressText),
  run: ({ allowlist }) => entriesOf(allowlist, 'accounts'),
})
