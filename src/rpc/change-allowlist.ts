/** Checks and errors of methods that change an allowlist, in the order of Besu. */
import { array, unknown } from 'zod'
import { parseAccount } from '#allowlist/list-kind.ts'
import type { ChangeOrigin, ChangeRefusal, ListName } from '#allowlist/permissions.ts'
import type { Live } from '#rpc/contracts.ts'
import { formatEnode, parseEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import type { Observed } from './audit/audit-record.ts'
import type { CallerTraits } from './define-method.ts'
import { type RpcErrorKind, rpcFault } from './errors.ts'
import { Param } from './param.ts'

const Account = unknown().meta({ title: 'account', description: '0x and 40 hex digits, in any letter case' })
const Node = unknown().meta({ title: 'enode', description: 'an enode URL' })

/** Elements of both are judged by `changeList`: what is wrong with them has errors of its own, after others. */
export const AccountList = new Param(array(Account), 'INVALID_ACCOUNT_PARAMS')
export const NodeList = new Param(array(Node), 'INVALID_ENODE_PARAMS')

/** The main thread compares every entry with the list. */
const ENTRIES_MAX = 1_000
/** Each is looked up. */
const NAMES_MAX = 100

interface ListRules {
  readonly notEnabled: RpcErrorKind
  readonly empty: RpcErrorKind
  readonly refusals: Readonly<Record<ChangeRefusal, RpcErrorKind>>
  /** Entries of which none is there twice, or why they are not. On the thread of the server: main looks through nothing. */
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

/** Answers Success, or throws. */
export async function changeList(
  allowlist: Live['allowlist'],
  list: ListName,
  change: 'add' | 'remove',
  elements: readonly unknown[],
  origin: ChangeOrigin,
): Promise<'Success'> {
  const { read, empty, notEnabled, refusals } = RULES[list]
  const entries =
    elements.length === 0 ? empty : elements.length > ENTRIES_MAX ? 'LIMIT_EXCEEDED' : read(elements)
  if (typeof entries === 'string') {
    throw rpcFault((await allowlist.isInForce(list)) ? entries : notEnabled)
  }
  const verdict = await allowlist[change](list, entries, origin)
  if (verdict === undefined) throw rpcFault(notEnabled)
  if (!verdict.ok) throw rpcFault(refusals[verdict.reason])
  return 'Success'
}

export async function entriesOf(allowlist: Live['allowlist'], list: ListName): Promise<readonly string[]> {
  const entries = await allowlist.entries(list)
  if (entries === undefined) throw rpcFault(RULES[list].notEnabled)
  return linesOf(entries)
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

/** For the audit log. A list that is not in force is absent. */
export async function observeLists(
  allowlist: Live['allowlist'],
  ...lists: readonly ListName[]
): Promise<Observed> {
  const entries = await Promise.all(lists.map(async (list) => [list, await allowlist.entries(list)] as const))
  return Object.fromEntries(
    entries.flatMap(([list, all]) => (all === undefined ? [] : [[list, linesOf(all)]])),
  )
}

/** Who asks, for the log. */
export function originOf(
  via: string,
  { caller, remoteAddress, requestId }: Partial<CallerTraits>,
): ChangeOrigin {
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

/** Besu compares the texts before it looks into them. Whether a name may stand there is said by main. */
function readNodes(elements: readonly unknown[]): readonly string[] | RpcErrorKind {
  const { INVALID, DUPLICATE } = RULES.nodes.refusals
  if (isRepeating(elements)) return DUPLICATE
  const nodes: string[] = []
  let names = 0
  for (const element of elements) {
    try {
      const enode = parseEnode(typeof element === 'string' ? element : '', { allowHostNames: true })
      if (enode.hostKind === 'name') names += 1
      nodes.push(formatEnode(enode))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return INVALID
    }
  }
  if (names > NAMES_MAX) return 'LIMIT_EXCEEDED'
  return isRepeating(nodes) ? DUPLICATE : nodes
}

function isRepeating(values: readonly unknown[]): boolean {
  return new Set(values).size < values.length
}
