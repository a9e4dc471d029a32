/** The PERM methods: one definition for both lists. Checks and errors come in Besu's order. */

import { array, literal, string, unknown, type ZodType } from 'zod'
import { parseAccount } from '#allowlist/list-kind.ts'
import type { ChangeOrigin, ChangeRefusal, ListName } from '#allowlist/permissions.ts'
import type { Live } from '#api/contracts.ts'
import { defineMethod } from '#api/define-method.ts'
import { AddressText } from '#api/schema/values.ts'
import type { Observed } from '#jsonrpc/audit/audit-entry.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import { type CallerTraits, type Method, Param } from '#jsonrpc/method.ts'
import { formatEnode, parseEnode } from '#types/enode.ts'
import { unlessFault } from '#types/fault.ts'

const Account = unknown().meta({ title: 'account', description: '0x and 40 hex digits, in any letter case' })
const Node = unknown().meta({ title: 'enode', description: 'an enode URL' })

/** Elements are checked when the method runs, because their errors come after others. */
const PARAMS = {
  accounts: { addresses: new Param(array(Account), 'INVALID_ACCOUNT_PARAMS') },
  nodes: { enodes: new Param(array(Node), 'INVALID_ENODE_PARAMS') },
}

/** Main compares every entry with the list. */
const ENTRIES_MAX = 1_000
/** Each requires a DNS look-up. */
const NAMES_MAX = 100

interface ListRules {
  readonly notEnabled: RpcErrorKind
  readonly empty: RpcErrorKind
  readonly refusals: Readonly<Record<ChangeRefusal, RpcErrorKind>>
  /** Returns distinct entries or the error. Runs on the server, so main need not check them. */
  readonly read: (elements: readonly unknown[]) => readonly string[] | RpcErrorKind
}

const FILE_REFUSALS = {
  PERSIST_FAILURE: 'ALLOWLIST_PERSIST_FAILURE',
  FILE_SYNC: 'ALLOWLIST_FILE_SYNC',
  BUSY: 'LIMIT_EXCEEDED',
  TOO_LONG: 'ALLOWLIST_TOO_LONG',
} as const

const RULES: Readonly<Record<ListName, ListRules>> = {
  accounts: {
    notEnabled: 'ACCOUNT_ALLOWLIST_NOT_ENABLED',
    empty: 'ACCOUNT_ALLOWLIST_EMPTY_ENTRY',
    refusals: {
      ...FILE_REFUSALS,
      INVALID: 'ACCOUNT_ALLOWLIST_INVALID_ENTRY',
      HOST_NAME: 'ACCOUNT_ALLOWLIST_INVALID_ENTRY',
      DUPLICATE: 'ACCOUNT_ALLOWLIST_DUPLICATED_ENTRY',
      EXISTING: 'ACCOUNT_ALLOWLIST_EXISTING_ENTRY',
      ABSENT: 'ACCOUNT_ALLOWLIST_ABSENT_ENTRY',
      FIXED: 'ACCOUNT_ALLOWLIST_ABSENT_ENTRY',
    },
    read: readAccounts,
  },
  nodes: {
    notEnabled: 'NODE_ALLOWLIST_NOT_ENABLED',
    empty: 'NODE_ALLOWLIST_EMPTY_ENTRY',
    refusals: {
      ...FILE_REFUSALS,
      INVALID: 'NODE_ALLOWLIST_INVALID_ENTRY',
      HOST_NAME: 'NODE_ALLOWLIST_HOST_NAME',
      DUPLICATE: 'NODE_ALLOWLIST_DUPLICATED_ENTRY',
      EXISTING: 'NODE_ALLOWLIST_EXISTING_ENTRY',
      ABSENT: 'NODE_ALLOWLIST_MISSING_ENTRY',
      FIXED: 'NODE_ALLOWLIST_FIXED_NODE_CANNOT_BE_REMOVED',
    },
    read: readNodes,
  },
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

function readAccounts(elements: readonly unknown[]): readonly string[] | RpcErrorKind {
  const { INVALID, DUPLICATE } = RULES.accounts.refusals
  const accounts: string[] = []
  for (const element of elements) {
    const account = typeof element === 'string' ? parseAccount(element) : undefined
    if (account === undefined) return INVALID
    accounts.push(account)
  }
  return isRepeating(accounts) ? DUPLICATE : accounts
}

/** Besu compares the texts before it parses them. Main decides whether host names are allowed. */
function readNodes(elements: readonly unknown[]): readonly string[] | RpcErrorKind {
  const { INVALID, DUPLICATE } = RULES.nodes.refusals
  if (isRepeating(elements)) return DUPLICATE
  const nodes: string[] = []
  let names = 0
  for (const element of elements) {
    const text = typeof element === 'string' ? element : ''
    const enode = unlessFault(() => parseEnode(text, { allowHostNames: true }))
    if (enode === undefined) return INVALID
    if (enode.hostKind === 'name') names += 1
    nodes.push(formatEnode(enode))
  }
  if (names > NAMES_MAX) return 'LIMIT_EXCEEDED'
  return isRepeating(nodes) ? DUPLICATE : nodes
}

function isRepeating(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length
}

const oldName = (name: string): string => name.replace('Allowlist', 'Whitelist')

function changing(name: string, list: ListName, change: 'add' | 'remove', summary: string): Method {
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
      const { read, empty, notEnabled, refusals } = RULES[list]
      const entries =
        elements.length === 0 ? empty : elements.length > ENTRIES_MAX ? 'LIMIT_EXCEEDED' : read(elements)
      if (typeof entries === 'string') {
        throw rpcFault((await allowlist.isInForce(list)) ? entries : notEnabled)
      }
      const verdict = await allowlist[change](list, entries, originOf(name, context))
      if (verdict === undefined) throw rpcFault(notEnabled)
      if (!verdict.ok) throw rpcFault(refusals[verdict.reason])
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
      if (entries === undefined) throw rpcFault(RULES[list].notEnabled)
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
