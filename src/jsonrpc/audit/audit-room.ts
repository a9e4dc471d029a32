import { dirname, join } from 'node:path'
import { dataOptions } from '#config/data-directory.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { Clock } from '#platform/clock.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { defineRoom } from '#platform/room.ts'
import type { LiveAudit } from './audit-contract.ts'
import { AuditLog } from './audit-log.ts'
import { auditOptions } from './options.ts'

const DEFAULT_FILE = 'audit.jsonl'

const NO_AUDIT: LiveAudit = {
  begin: () => ({ kind: 'off' }),
  end: () => undefined,
  tail: () => undefined,
}

/** Undefined if the audit log is off. */
export function auditFileOf(settings: Settings): string | undefined {
  if (!settings.get(auditOptions.enabled)) return undefined
  return settings.get(auditOptions.file) ?? join(settings.get(dataOptions.dataPath), DEFAULT_FILE)
}

interface AuditNeeds {
  readonly settings: Settings
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

export const AUDIT_LOG = defineRoom({
  name: 'audit log',
  startDeadlineMs: 15_000,
  stopDeadlineMs: 15_000,
  start: async ({ settings, ...parts }: AuditNeeds, { onStop }): Promise<LiveAudit> => {
    const path = auditFileOf(settings)
    if (path === undefined) return NO_AUDIT
    requireFile(path)
    const audit = new AuditLog({ path, ...parts })
    onStop(() => audit.stop())
    await audit.start()
    return audit
  },
})

/** Fails at start rather than at the first call. */
function requireFile(path: string): void {
  const { flag } = auditOptions.file
  const kind = kindOfPath(path)
  if (kind !== undefined && kind !== 'file') throw usageFault(`${flag}: ${path} is not a file. Name a file.`)
  const folder = dirname(path)
  if (kindOfPath(folder) !== 'directory') {
    throw usageFault(`${flag}: the folder ${folder} does not exist. Create it, or name another file.`)
  }
}
