/**
 * Which resources a method is handed. Operations that change what the audit log tells of say so in their rows; a method that
 * does not declare the same in `changes` finds them locked, so that none can change anything without a line.
 */
import { CONTRACTS } from '#rpc/contracts.ts'
import type { HandedResources } from '#rpc/resources.ts'
import { assert } from '#types/assert.ts'
import type { ChangeSubject } from './audit-record.ts'

/** Undefined: all that change something are locked. */
export function resourcesFor(
  resources: HandedResources,
  subject: ChangeSubject | undefined,
): HandedResources {
  const locked = Object.entries(CONTRACTS).flatMap(([resource, table]) => {
    const open = resources[resource as keyof typeof CONTRACTS] as object | undefined
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
