import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { createChannel } from '#platform/channel/channel.ts'
import { type ChannelPort, messagePortToChannelPort } from '#platform/channel/channel-port.ts'
import type { Handlers, RequestRow } from '#platform/channel/channel-protocol.ts'
import { type ErrorFrame, encodeError } from '#platform/channel/channel-wire.ts'
import { systemClock } from '#platform/clock.ts'
import type { RootLog } from '#platform/log/log.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
import type { MetricsData } from '#platform/metrics/metrics-merge.ts'
import { assert } from '#types/assert.ts'
import type { StarterChannel, TypesOf } from './define-thread.ts'
import { type Reporting, type ThreadData, type ThreadWork, threadData } from './thread-data.ts'

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
  /** Ends the thread with this error, after the current turn of the event loop. */
  fail(error: Error): void
}

export interface ThreadBody {
  /** Releases the thread's files and sockets; then the thread ends. */
  stop?(): Promise<void> | void
}

export type ThreadSetup<Context> = (
  context: Context,
) => Promise<ThreadBody | undefined> | ThreadBody | undefined

/**
 * The one call in a thread's entry file, which exports the result. In a worker of startThread it runs `setup`: the thread has
 * started when that is done, and ends when its starter stops it, or with an uncaught error. On any other thread it runs
 * nothing, and startHere uses the result.
 */
export function runThread<Definition>(
  setup: ThreadSetup<ThreadContext<Definition>>,
): ThreadSetup<ThreadContext<Definition>> {
  if (threadData !== undefined) runWorker(setup, threadData.cairnThread)
  return setup
}

/** The entry's end of the channel to the starter. */
export interface EntryPort extends Pick<ThreadWork, 'limits' | 'reporting' | 'data'> {
  readonly name: string
  readonly port: ChannelPort
  readonly fail: (error: Error) => void
}

/** `close` ends the channel, if the thread opened it. */
export function openContext<Definition>({ name, port, limits, reporting, data, fail }: EntryPort): {
  readonly context: ThreadContext<Definition>
  close(): void
} {
  let opened: StarterChannel<Definition> | undefined
  const context: ThreadContext<Definition> = {
    name,
    data: data as TypesOf<Definition>['data'],
    reporting,
    fail,
    connect(handlers, onError, caredFor = {}) {
      assert(opened === undefined, 'a thread connects once')
      const options = { clock: systemClock, peer: 'the main thread', onError, ...(limits && { limits }) }
      const requests = { ...handlers.requests, ...careHandlers(caredFor) }
      opened = createChannel(port, { ...handlers, requests }, options) as StarterChannel<Definition>
      return opened
    },
  }
  return { context, close: () => opened?.close() }
}

function runWorker<Definition>(
  setup: ThreadSetup<ThreadContext<Definition>>,
  { name, work }: ThreadData['cairnThread'],
): void {
  assert(parentPort !== null, 'a thread with data has a parent')
  const control = parentPort
  const report = (message: ThreadReport): void => control.postMessage(message)

  const begin = async (given: ThreadWork): Promise<void> => {
    // On Linux this affects only this thread; elsewhere it would affect the entire process.
    if (given.lowPriority && process.platform === 'linux') setPriority(0, LOW_PRIORITY_NICE)
    const { context, close } = openContext<Definition>({
      ...given,
      name,
      port: messagePortToChannelPort(given.port),
      fail: (error) => {
        systemClock.after(0, () => {
          throw error
        })
      },
    })
    const body = await setup(context)
    control.once('message', (_order: ThreadOrder) => void end(body, close))
    report({ kind: 'ready' })
  }
  const end = async (body: ThreadBody | undefined, close: () => void): Promise<void> => {
    try {
      await body?.stop?.()
    } catch (error) {
      report({ kind: 'stopFailed', error: encodeError(error) })
    }
    close()
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
