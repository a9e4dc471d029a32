/* The entry file of the worker in thread.test.ts. */
import { getPriority } from 'node:os'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import type { StarterChannel, ThreadDefinition } from './define-thread.ts'
import { currentThreadName, threadData } from './thread-data.ts'
import { runThread } from './thread-entry.ts'

export type FixtureProtocol = {
  requests: {
    echo: { params: unknown; result: unknown }
    describe: { params: null; result: { name: string; priority: number } }
    log: { params: number; result: null }
    die: { params: null; result: null }
    exit: { params: null; result: null }
    askBack: { params: bigint; result: bigint }
    never: { params: null; result: null }
  }
  events: { started: string }
}
export type StarterProtocol = { requests: { double: { params: bigint; result: bigint } } }
export interface FixtureData {
  readonly failSetup?: boolean
  readonly hangSetup?: boolean
  /** Time to block during setup without computing. */
  readonly stoppedMs?: number
  readonly loopSetup?: boolean
  readonly failStop?: boolean
  readonly hangStop?: boolean
}

const never = <T>(): Promise<T> => new Promise(() => undefined)

type Fixture = ThreadDefinition<{ data: FixtureData; offers: FixtureProtocol; asks: StarterProtocol }>

export default runThread<Fixture>(async ({ name, data, connect, fail }) => {
  if (data.failSetup) throw new Fault('DATABASE_LOCKED', { sentence: 'The database is in use.' })
  if (data.hangSetup) await never()
  if (data.stoppedMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, data.stoppedMs)
  while (data.loopSetup);
  const channel: StarterChannel<Fixture> = connect(
    {
      requests: {
        echo: (params) => params,
        describe: () => ({ name: `${name} ${currentThreadName}`, priority: getPriority(0) }),
        log: (fd) => {
          createLog({ level: 'INFO', fd, format: 'PLAIN' }).child('fixture').info('from the worker')
          return null
        },
        die: () => {
          fail(new Error('no more strength'))
          return never()
        },
        exit: () => process.exit(3),
        askBack: (value) => channel.request('double', value),
        never,
      },
    },
    () => undefined,
  )
  // Keeps a worker alive; stopping must end it anyway.
  if (threadData !== undefined) setInterval(() => undefined, 1_000)
  return {
    stop: async () => {
      if (data.hangStop) await never()
      if (data.failStop) throw new Fault('FLUSH_FAILED', { sentence: 'The flush failed.' })
    },
  }
})
