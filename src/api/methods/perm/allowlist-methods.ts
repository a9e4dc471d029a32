/** The PERM methods: one definition for both lists. Checks and errors come in Besu's order. */

import { array, literal, string, unknown, type ZodType } from 'zod'
import type { ChangeOrigin, Edit, ListName } from '#allowlist/permissions.ts'
import { ALLOWLIST_RULES, judgeEntries } from '#api/allowlist-entries.ts'
import type { Live } from '#api/contracts.ts'
import { defineMethod } from '#api/define-method.ts'
import { AddressText } from '#api/schema/values.ts'
import type { Observed } from '#jsonrpc/audit/audit-entry.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { type CallerTraits, type Method, Param } from '#jsonrpc/method.ts'

const Account = unknown().meta({ title: 'account', description: '0x and 40 hex digits, in any letter case' })
const Node = unknown().meta({ title: 'enode', description: 'an enode URL' })

/** Elements are checked when the method runs, because their errors come after others. */
const PARAMS = {
  accounts: { addresses: new Param(array(Account), 'INVALID_ACCOUNT_PARAMS') },
  nodes: { enodes: new Param(array(Node), 'INVALID_ENODE_PARAMS') },
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

/** For the audit log. A list that is not in force is absent. */
async function observeLists(allowlist: Live['allowlist'], ...lists: readonly ListName[]): Promise<Observed> {
  const entries = await Promise.all(lists.map(async (list) => [list, await allowlist.entries(list)] as const))
  return Object.fromEntries(
    entries.flatMap(([list, all]) => (all === undefined ? [] : [[list, linesOf(all)]])),
  )
}

/** For the log. */
function originOf(via: string, { caller, remoteAddress, requestId }: Partial<CallerTraits>): ChangeOrigin {
  return { via, user: caller?.user, remoteAddress, requestId }
}

const oldName = (name: string): string => name.replace('Allowlist', 'Whitelist')

function changing(name: string, list: ListName, change: Edit, summary: string): Method {
  return defineMethod({
    name,
    aliases: [oldName(name)],
    summary,
    needs: ['allowlist'],
    params: PARAMS[list] as Readonly<Record<string, Param<unknown[]>>>,
    changes: { what: 'allowlists', observe: ({ allowlist }) => observeLists(allowlist, list) },
    result: literal('Success'),
    run: async ({ allowlist }, params, context) => {
      const [elements = []] = Object.values(params)
      await judgeEntries(allowlist, list, elements, (entries) =>
        allowlist[change](list, entries, originOf(name, context)),
      )
      return 'Success' as const
    },
  })
}

function listing(name: string, list: ListName, entry: ZodType<string>, summary: string): Method {
  return defineMethod({
    name,
    aliases: [oldName(name)],
    summary,
    needs: ['allowlist'],
    params: {},
    result: array(entry),
    run: async ({ allowlist }) => {
      const entries = await allowlist.entries(list)
      if (entries === undefined) throw rpcFault(ALLOWLIST_RULES[list].notEnabled)
      return linesOf(entries)
    },
  })
}

export const perm_addAccountsToAllowlist = changing(
  'perm_addAccountsToAllowlist',
  'accounts',
  'add',
  'Permits accounts to send transactions, and writes them to the permissions file.',
)

export const perm_addNodesToAllowlist = changing(
  'perm_addNodesToAllowlist',
  'nodes',
  'add',
  'Permits nodes to connect, and writes them to the permissions file.',
)

export const perm_getAccountsAllowlist = listing(
  'perm_getAccountsAllowlist',
  'accounts',
  AddressText,
  'Lists the accounts that may send transactions, in the order of the permissions file.',
)

export const perm_getNodesAllowlist = listing(
  'perm_getNodesAllowlist',
  'nodes',
  string().meta({ description: 'an enode URL' }),
  'Lists the nodes that may connect, in the order of the permissions file.',
)

export const perm_reloadPermissionsFromFile = defineMethod({
  name: 'perm_reloadPermissionsFromFile',
  summary: 'Reloads the permissions file. If the file is unusable, the lists stay as they are.',
  needs: ['allowlist'],
  params: {},
  changes: {
    what: 'allowlists',
    observe: ({ allowlist }) => observeLists(allowlist, 'accounts', 'nodes'),
  },
  result: literal('Success'),
  run: async ({ allowlist }, _params, context) => {
    const verdict = await allowlist.reload(originOf('perm_reloadPermissionsFromFile', context))
    if (verdict === undefined) throw rpcFault('PERMISSIONING_NOT_ENABLED')
    if (!verdict.ok) throw rpcFault('ALLOWLIST_RELOAD_ERROR')
    return 'Success' as const
  },
})

export const perm_removeAccountsFromAllowlist = changing(
  'perm_removeAccountsFromAllowlist',
  'accounts',
  'remove',
  'Removes accounts from the accounts allowlist and from the permissions file.',
)

export const perm_removeNodesFromAllowlist = changing(
  'perm_removeNodesFromAllowlist',
  'nodes',
  'remove',
  'Removes nodes from the nodes allowlist and from the permissions file, and disconnects them.',
)
