import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { Threads, type ThreadsParts } from './threads.ts'

export function silentThreads(parts: Partial<ThreadsParts> = {}): Threads {
  return new Threads({
    clock: systemClock,
    rootLog: createLog({ level: 'OFF' }),
    reporting: { log: { level: 'OFF' }, metricsPrefix: 'cairn_' },
    ...parts,
  })
}
