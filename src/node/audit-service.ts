/** The audit log as a service of the node. */
import { dirname, join } from 'node:path'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { Clock } from '#platform/clock.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { Service } from '#platform/lifecycle.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { AuditLog } from '#rpc/audit/audit-log.ts'
import { auditOptions } from '#rpc/audit/options.ts'
import type { LiveOwners } from '#rpc/contracts.ts'
import { nodeOptions } from './options.ts'

const DEFAULT_FILE = 'audit.jsonl'
const DEADLINE_MS = 15_000

const NO_AUDIT: LiveOwners['audit'] = { begin: () => ({ kind: 'off' }), end: () => undefined }

/** undefined: there is none. */
export function auditFileOf(settings: Settings): string | undefined {
  if (!settings.get(auditOptions.enabled)) return undefined
  return settings.get(auditOptions.file) ?? join(settings.get(nodeOptions.dataPath), DEFAULT_FILE)
}

export function createAudit(
  settings: Settings,
  parts: { readonly clock: Clock; readonly log: Log; readonly metrics: Metrics },
): { readonly owner: LiveOwners['audit']; readonly services: readonly Service[] } {
  const path = auditFileOf(settings)
  if (path === undefined) return { owner: NO_AUDIT, services: [] }
  const audit = new AuditLog({ path, ...parts })
  const service: Service = {
    name: 'audit log',
    startDeadlineMs: DEADLINE_MS,
    stopDeadlineMs: DEADLINE_MS,
    start: async () => {
      requireFile(path)
      await audit.start()
    },
    stop: () => audit.stop(),
  }
  return { owner: audit, services: [service] }
}

/** What can never be written is better said now than by the first call. */
function requireFile(path: string): void {
  const { flag } = auditOptions.file
  const kind = kindOfPath(path)
  if (kind !== undefined && kind !== 'file') throw usageFault(`${flag}: ${path} is no file. Name a file.`)
  const folder = dirname(path)
  if (kindOfPath(folder) !== 'directory') {
    throw usageFault(`${flag}: the folder ${folder} does not exist. Create it, or name another file.`)
  }
}
