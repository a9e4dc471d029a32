/** The port through which others (an allowlist, plugins) say who may send what. */
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

/**
 * Whether the pool takes it and blocks of this node hold it. One that takes longer than PERMISSION_DEADLINE_MS, or that
 * throws, counts as no.
 */
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
    log.warn('Whether a transaction is permitted could not be found out; it is not.', {
      hash: transaction.hash,
      err,
    })
    return false
  }
  try {
    const verdict = mayTransact(transaction)
    if (typeof verdict === 'boolean') return verdict
    return withDeadline(verdict, clock).catch(refuse)
  } catch (error) {
    return refuse(error)
  }
}

async function withDeadline(verdict: Promise<boolean>, clock: Clock): Promise<boolean> {
  using deadline = deadlineSignal(clock, PERMISSION_DEADLINE_MS, undefined, 'The question who may send')
  const late = new Promise<never>((_, fail) => {
    deadline.addEventListener('abort', () => fail(deadline.reason), { once: true })
  })
  return await Promise.race([verdict, late])
}
