import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { createChannel } from '#platform/channel/channel.ts'
import { messagePortToChannelPort } from '#platform/channel/channel-port.ts'
import type { Handlers, RequestRow } from '#platform/channel/channel-protocol.ts'
import { type ErrorFrame, encodeError } from '#platform/channel/channel-wire.ts'
import { systemClock } from '#platform/clock.ts'
import type { RootLog } from '#platform/log/log.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
import type { MetricsData } from '#platform/metrics/metrics-merge.ts'
import { assert } from '#types/assert.ts'
import type { StarterChannel, TypesOf } from './define-thread.ts'
import { type Reporting, type ThreadWork, threadData } from './thread-data.ts'

/** Nice value of threads that must never delay the main thread. */
const LOW_PRIORITY_NICE = 10

/** Messages between thread.ts and this file. They bypass the channel, so they cannot be mistaken for requests. */
export type ThreadOrder = 'stop'
export type ThreadReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: ErrorFrame }
  | { readonly kind: 'stopFailed'; readonly error: ErrorFrame }

/** Requests of threads.ts to every thread, in addition to the thread's own offers. */
export type CareOffers = {
  readonly requests: {
    readonly 'thread.metrics': RequestRow<null, MetricsData>
    readonly 'thread.setLogLevel': RequestRow<{ level: LogLevel; names: readonly string[] | undefined }, null>
  }
}

/** The parts of a thread that threads.ts supervises. */
export interface CaredFor {
  /** Undefined until the log exists. */
  readonly log?: () => Pick<RootLog, 'setLevel' | 'debug'> | undefined
  readonly sample?: () => Promise<MetricsData>
}

export interface ThreadContext<Definition> {
  readonly name: string
  readonly data: TypesOf<Definition>['data']
  readonly reporting: Reporting | undefined
  /** Opens the channel to this thread's starter, once. */
  connect(
    handlers: Handlers<TypesOf<Definition>['offers']>,
    onError: (error: unknown) => void,
    caredFor?: CaredFor,
  ): StarterChannel<Definition>
}

export interface ThreadBody {
  /** Releases the thread's files and sockets; then the thread ends. */
  stop?(): Promise<void> | void
}

export type ThreadSetup<Context> = (
  context: Context,
) => Promise<ThreadBody | undefined> | ThreadBody | undefined

/**
 * The one call in a worker's entry file. The thread has started when `setup` is done. It ends when its starter stops it,
 * or with an uncaught error.
 */
export function runThread<Definition>(setup: ThreadSetup<ThreadContext<Definition>>): void {
  assert(
    threadData !== undefined && parentPort !== null,
    'runThread runs in a worker that startThread started',
  )
  const { name, work } = threadData.cairnThread
  const control = parentPort
  const report = (message: ThreadReport): void => control.postMessage(message)

  let close: (() => void) | undefined
  const contextOf = ({ port, limits, reporting, data }: ThreadWork): ThreadContext<Definition> => ({
    name,
    data: data as TypesOf<Definition>['data'],
    reporting,
    connect(handlers, onError, caredFor = {}) {
      assert(close === undefined, 'a thread connects once')
      const options = { clock: systemClock, peer: 'the main thread', onError, ...(limits && { limits }) }
      const requests = { ...handlers.requests, ...careHandlers(caredFor) }
      const channel: StarterChannel<Definition> = createChannel(
        messagePortToChannelPort(port),
        { ...handlers, requests },
        options,
      )
      close = () => channel.close()
      return channel
    },
  })

  const begin = async (given: ThreadWork): Promise<void> => {
    // On Linux this affects only this thread; elsewhere it would affect the entire process.
    if (given.lowPriority && process.platform === 'linux') setPriority(0, LOW_PRIORITY_NICE)
    const body = await setup(contextOf(given))
    control.once('message', (_order: ThreadOrder) => void end(body))
    report({ kind: 'ready' })
  }
  const end = async (body: ThreadBody | undefined): Promise<void> => {
    try {
      await body?.stop?.()
    } catch (error) {
      report({ kind: 'stopFailed', error: encodeError(error) })
    }
    close?.()
    // In a worker this ends only the thread, whatever timers or sockets are left.
    process.exit(0)
  }
  const run = (given: ThreadWork): void => {
    begin(given).catch((error) => {
      report({ kind: 'failed', error: encodeError(error) })
      process.exit(1)
    })
  }
  if (work === undefined) control.once('message', run)
  else run(work)
}

function careHandlers({ log, sample }: CaredFor): Partial<Handlers<CareOffers>['requests']> {
  return {
    ...(log && {
      'thread.setLogLevel': ({ level, names }) => {
        log()?.setLevel(level, names)
        log()?.debug('Changed the log level', { level, names })
        return null
      },
    }),
    ...(sample && { 'thread.metrics': sample }),
  }
}
