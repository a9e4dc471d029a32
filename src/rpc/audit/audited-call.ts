/** A call that changes something, on the thread that serves it: looked at before and after, and written down on main. */

import type { Live } from '#rpc/contracts.ts'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import { rpcFault, translateError } from '#rpc/errors.ts'
import { callerKey } from '#rpc/limits/caller-key.ts'
import {
  type AuditOutcome,
  type ChangeSubject,
  type Observed,
  recordedChange,
  recordedResult,
  recordOf,
} from './audit-record.ts'

export interface AuditedCall {
  readonly subject: ChangeSubject
  readonly method: string
  readonly params: readonly unknown[]
  readonly context: Pick<CallContext, 'caller' | 'remoteAddress' | 'requestId'>
  /** undefined: the parameters are wrong, so that nothing is looked at. */
  readonly observe: (() => Observed | Promise<Observed>) | undefined
  run(): unknown
}

/** Goes on when the client leaves: what happens is written down whoever hears of it. */
export async function runAudited(audit: Live['audit'], call: AuditedCall): Promise<unknown> {
  const record = recordOf(call.method, call.params, call.context)
  const begun = await audit.begin(call.subject, record, callerKey(call.context))
  if (begun.kind === 'off') return await call.run()
  if (begun.kind === 'refused') {
    throw rpcFault(begun.reason === 'busy' ? 'LIMIT_EXCEEDED' : 'AUDIT_LOG_UNAVAILABLE')
  }
  let outcome: AuditOutcome = { outcome: 'unknown' }
  let before: Observed | undefined
  try {
    before = await call.observe?.()
    const result = await call.run()
    outcome = { result: recordedResult(result) }
    return result
  } catch (thrown) {
    // Logged where it is answered.
    const { code, message } = translateError(thrown, () => undefined)
    outcome = { error: { code, message } }
    throw thrown
  } finally {
    // A refused call may have changed something all the same: the permissions file, and not the list.
    const after = before && (await call.observe?.())
    await audit.end(begun.turn, before && after ? { ...outcome, ...recordedChange(before, after) } : outcome)
  }
}
