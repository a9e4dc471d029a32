/** The function through which an allowlist or plugins decide who may send. */
import { type Clock, withDeadline } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { POOL_PROBLEMS } from './log-problems.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

/** Decides who may send, for the pool and for own blocks. An error or a late answer counts as no. */
export type MayTransact = (
  transaction: Pick<SubmittedTransaction, 'sender' | 'to' | 'hash' | 'encoded'>,
) => boolean | Promise<boolean>

export const PERMISSION_DEADLINE_MS = 2_000

export function permits(
  mayTransact: MayTransact | undefined,
  transaction: SubmittedTransaction,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): boolean | Promise<boolean> {
  if (mayTransact === undefined) return true
  const refuse = (err: unknown): false => {
    log.warn(POOL_PROBLEMS.permissionUnknown, { hash: transaction.hash, err })
    return false
  }
  try {
    const verdict = mayTransact(transaction)
    if (typeof verdict === 'boolean') return verdict
    return withDeadline(clock, PERMISSION_DEADLINE_MS, verdict, 'The question who may send').catch(refuse)
  } catch (error) {
    return refuse(error)
  }
}
