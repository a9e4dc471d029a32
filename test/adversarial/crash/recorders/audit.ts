/**
 * Appends lines to the audit log under strace, and records the acknowledged ones in the marks file. Argument: folder.
 */
import { join } from 'node:path'
import { AuditLog } from '#jsonrpc/audit/audit-log.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { AUDIT_FILE, type AuditMark } from '../audit-script.ts'
import { openMarks } from './marks.ts'

const CALLS = 24
/** Lines of different lengths, so a line may end inside a disk block. */
const PARAM_CHARACTERS = 3_000

const [folder] = process.argv.slice(2) as [string]
const mark = openMarks(folder)
const audit = new AuditLog({
  path: join(folder, AUDIT_FILE),
  clock: systemClock,
  log: createLog({ level: 'OFF' }),
  metrics: createMetrics({ prefix: '', onSourceError: () => undefined }),
})
await audit.start()
for (let calls = 1; calls <= CALLS; calls++) {
  const params = ['x'.repeat((calls * 977) % PARAM_CHARACTERS)]
  const entry = {
    user: 'alice',
    remoteAddress: null,
    requestId: `call-${calls}`,
    method: 'test_call',
    params,
  }
  const begun = await audit.begin('votes', entry, 'user alice')
  if (begun.kind !== 'turn') throw new Error(`Call ${calls} has no turn.`)
  await audit.end(begun.turn, { result: true })
  mark({ calls } satisfies AuditMark)
}
await audit.stop()
