/** Checks and errors of methods that change the accounts allowlist, in the order of Besu. */
import { array, unknown } from 'zod'
import { parseAccount } from '#allowlist/list-kind.ts'
import type { ChangeOrigin, ChangeRefusal, ChangeVerdict } from '#allowlist/permissions.ts'
import type { CallerTraits } from './define-method.ts'
import { type RpcErrorKind, rpcFault } from './errors.ts'
import { Param } from './param.ts'

const Account = unknown().meta({ title: 'account', description: '0x and 40 hex digits, in any letter case' })

/** Its elements are judged by `changeAccounts`: what is wrong with them has errors of its own, after others. */
export const AccountList = new Param(array(Account), 'INVALID_ACCOUNT_PARAMS')

/** More than a permissions file may hold. */
const ACCOUNTS_MAX = 100_000

/** What the room says no for. */
const ACCOUNT_REFUSALS: Readonly<Record<ChangeRefusal, RpcErrorKind>> = {
  EXISTING: 'ACCOUNT_ALLOWLIST_EXISTING_ENTRY',
  ABSENT: 'ACCOUNT_ALLOWLIST_ABSENT_ENTRY',
  PERSIST_FAILURE: 'ALLOWLIST_PERSIST_FAILURE',
  FILE_SYNC: 'ALLOWLIST_FILE_SYNC',
  BUSY: 'LIMIT_EXCEEDED',
}

/** Answers Success, or throws. `apply` gets accounts that are valid and of which none is there twice. */
export async function changeAccounts(
  elements: readonly unknown[],
  isEnabled: () => Promise<boolean>,
  apply: (accounts: readonly string[]) => Promise<ChangeVerdict | undefined>,
): Promise<'Success'> {
  const accounts = readAccounts(elements)
  if (typeof accounts === 'string') {
    throw rpcFault((await isEnabled()) ? accounts : 'ACCOUNT_ALLOWLIST_NOT_ENABLED')
  }
  const verdict = await apply(accounts)
  if (verdict === undefined) throw rpcFault('ACCOUNT_ALLOWLIST_NOT_ENABLED')
  if (!verdict.ok) throw rpcFault(ACCOUNT_REFUSALS[verdict.reason])
  return 'Success'
}

/** Who asks, for the log. */
export function originOf(
  via: string,
  { caller, remoteAddress, requestId }: Partial<CallerTraits>,
): ChangeOrigin {
  return { via, user: caller?.user, remoteAddress, requestId }
}

/** On the thread of the server, so that main is handed nothing that it has to look through. */
function readAccounts(elements: readonly unknown[]): readonly string[] | RpcErrorKind {
  if (elements.length === 0) return 'ACCOUNT_ALLOWLIST_EMPTY_ENTRY'
  if (elements.length > ACCOUNTS_MAX) return 'LIMIT_EXCEEDED'
  const accounts: string[] = []
  for (const element of elements) {
    const account = typeof element === 'string' ? parseAccount(element) : undefined
    if (account === undefined) return 'ACCOUNT_ALLOWLIST_INVALID_ENTRY'
    accounts.push(account)
  }
  return new Set(accounts).size < accounts.length ? 'ACCOUNT_ALLOWLIST_DUPLICATED_ENTRY' : accounts
}
