/** A call that changes something, on the server: observed before and after, and recorded on main. */

import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { type ForeignFaults, rpcFault, translateError } from '#jsonrpc/errors.ts'
import { callerKey } from '#jsonrpc/limits/caller-key.ts'
import type { HandedResources } from '#jsonrpc/method.ts'
import type { ClientOf, Contracts } from '#platform/contract.ts'
import { assert } from '#types/assert.ts'
import type { AUDIT } from './audit-contract.ts'
import {
  type AuditOutcome,
  type ChangeSubject,
  entryOf,
  type Observed,
  recordedChange,
  recordedResult,
} from './audit-entry.ts'

export interface AuditedCall {
  readonly subject: ChangeSubject
  readonly method: string
  readonly params: readonly unknown[]
  readonly context: Pick<CallContext, 'caller' | 'remoteAddress' | 'requestId'>
  /** Undefined if the parameters are wrong. */
  readonly observe: (() => Observed | Promise<Observed>) | undefined
  run(): unknown
}

/** Continues if the client leaves: every change is recorded. */
export async function runAudited(
  audit: ClientOf<typeof AUDIT>,
  call: AuditedCall,
  faults: ForeignFaults,
): Promise<unknown> {
  const entry = entryOf(call.method, call.params, call.context)
  const begun = await audit.begin(call.subject, entry, callerKey(call.context))
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
    // The dispatcher logs it.
    const { code, message } = translateError(thrown, faults, () => undefined)
    outcome = { error: { code, message } }
    throw thrown
  } finally {
    // A refused call may still have changed something, such as the permissions file.
    const after = before && (await call.observe?.())
    await audit.end(begun.turn, before && after ? { ...outcome, ...recordedChange(before, after) } : outcome)
  }
}

/**
 * Contract rows declare operations that change something. Such an operation is locked unless the method declares the
 * same subject in `changes`, so no change escapes the audit log.
 */
export function resourcesFor(
  contracts: Contracts,
  resources: HandedResources,
  subject: ChangeSubject | undefined,
): HandedResources {
  const locked = Object.entries(contracts).flatMap(([resource, table]) => {
    const open = resources[resource] as object | undefined
    const names = Object.entries(table).flatMap(([name, row]) =>
      'changes' in row && row.changes !== undefined && row.changes !== subject ? [name] : [],
    )
    if (open === undefined || names.length === 0) return []
    return [[resource, { ...open, ...Object.fromEntries(names.map((name) => [name, lock(resource, name)])) }]]
  })
  return { ...resources, ...Object.fromEntries(locked) }
}

function lock(resource: string, name: string) {
  return () => assert(false, `A method that calls ${resource}.${name} declares in 'changes' what it changes.`)
}
