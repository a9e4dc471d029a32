import type { CallLog } from '#api/calls/call-log.ts'
import type { Log } from '#platform/log/log.ts'

/** Nothing on other networks, whose threads do not load it. */
export async function openCallLog(
  memory: SharedArrayBuffer | undefined,
  log: Log,
): Promise<{ readonly callLog?: CallLog }> {
  if (memory === undefined) return {}
  const { CallLog } = await import('#api/calls/call-log.ts')
  return { callLog: new CallLog(log, memory) }
}
