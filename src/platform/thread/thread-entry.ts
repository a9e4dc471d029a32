import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { createChannel } from '#platform/channel/channel.ts'
import { messagePortToChannelPort } from '#platform/channel/channel-port.ts'
import type { Channel, Handlers, Protocol } from '#platform/channel/channel-protocol.ts'
import { type ErrorFrame, encodeError } from '#platform/channel/channel-wire.ts'
import { systemClock } from '#platform/clock.ts'
import { assert } from '#types/assert.ts'
import { type ThreadWork, threadData } from './thread-data.ts'

/** Nice value of threads that must never hold up the main one. */
const LOW_PRIORITY_NICE = 10

/** Between thread.ts and this file, beside the channel, so that neither can be mistaken for a request. */
export type ThreadOrder = 'stop'
export type ThreadReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: ErrorFrame }
  | { readonly kind: 'stopFailed'; readonly error: ErrorFrame }

export interface ThreadContext<Data> {
  readonly name: string
  readonly data: Data
  /** The channel to whoever started this thread; once. */
  connect<Local extends Protocol, Remote extends Protocol>(
    handlers: Handlers<Local>,
    onError: (error: unknown) => void,
  ): Channel<Local, Remote>
}

export interface ThreadBody {
  /** Releases what the thread holds (files, sockets); then the thread ends. */
  stop?(): Promise<void> | void
}

/**
 * The one call that a worker's entry file makes. The thread counts as started when `setup` is done; it
 * ends when its starter says stop, or with what nobody caught.
 */
export function runThread<Data>(
  setup: (context: ThreadContext<Data>) => Promise<ThreadBody | undefined> | ThreadBody | undefined,
): void {
  assert(
    threadData !== undefined && parentPort !== null,
    'runThread runs in a worker that startThread started',
  )
  const { name, work } = threadData.cairnThread
  const control = parentPort
  const report = (message: ThreadReport): void => control.postMessage(message)

  let close: (() => void) | undefined
  const contextOf = ({ port, limits, data }: ThreadWork): ThreadContext<Data> => ({
    name,
    data: data as Data,
    connect<Local extends Protocol, Remote extends Protocol>(
      handlers: Handlers<Local>,
      onError: (error: unknown) => void,
    ) {
      assert(close === undefined, 'a thread connects once')
      const options = { clock: systemClock, peer: 'the main thread', onError, ...(limits && { limits }) }
      const channel = createChannel<Local, Remote>(messagePortToChannelPort(port), handlers, options)
      close = () => channel.close()
      return channel
    },
  })

  const begin = async (given: ThreadWork): Promise<void> => {
    // On Linux this lowers this thread alone; elsewhere it would lower the whole process.
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
    // In a worker this ends the thread only, whatever timers or sockets are left.
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
