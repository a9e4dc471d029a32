/** Entries of allowlists in requests: their limits, and the errors of changes, in Besu's order. */
import { parseAccount } from '#allowlist/list-kind.ts'
import type { ChangeRefusal, ListName } from '#allowlist/permissions.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import { formatEnode, parseEnode } from '#types/enode.ts'
import { unlessFault } from '#types/fault.ts'
import type { Live } from './contracts.ts'

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

export const ALLOWLIST_RULES: Readonly<Record<ListName, ListRules>> = {
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

/** Passes the entries on. Throws the error of a change, which is the same for a change that is only tried. */
export async function judgeEntries<Verdict extends { readonly ok: true }>(
  allowlist: Live['allowlist'],
  list: ListName,
  elements: readonly unknown[],
  pass: (
    entries: readonly string[],
  ) => Promise<Verdict | { readonly ok: false; readonly reason: ChangeRefusal } | undefined>,
): Promise<Verdict> {
  const { read, empty, notEnabled, refusals } = ALLOWLIST_RULES[list]
  const entries =
    elements.length === 0 ? empty : elements.length > ENTRIES_MAX ? 'LIMIT_EXCEEDED' : read(elements)
  if (typeof entries === 'string') {
    throw rpcFault((await allowlist.isInForce(list)) ? entries : notEnabled)
  }
  const verdict = await pass(entries)
  if (verdict === undefined) throw rpcFault(notEnabled)
  if (!verdict.ok) throw rpcFault(refusals[verdict.reason])
  return verdict
}

function readAccounts(elements: readonly unknown[]): readonly string[] | RpcErrorKind {
  const { INVALID, DUPLICATE } = ALLOWLIST_RULES.accounts.refusals
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
  const { INVALID, DUPLICATE } = ALLOWLIST_RULES.nodes.refusals
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
