import { getHeapStatistics } from 'node:v8'
import { createChannel } from '#platform/channel/channel.ts'
import type { Protocol } from '#platform/channel/channel-protocol.ts'
import { createLocalPorts } from '#platform/channel/local-ports.ts'
import { platformFault } from '#platform/faults.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Thread, ThreadExit, ThreadOptions } from './thread.ts'
import { openContext, type ThreadBody, type ThreadContext, type ThreadSetup } from './thread-entry.ts'

/**
 * Runs a thread's work on this thread, for a node whose requests gain more from short ways than from isolation. Priority
 * and memory limits do not apply, and an uncaught error ends the process.
 */
export async function startHere<Local extends Protocol, Remote extends Protocol>(
  options: ThreadOptions<Local>,
): Promise<Thread<Local, Remote>> {
  const { name, entry, clock, log, limits, reporting, data } = options
  const { default: setup }: { default: ThreadSetup<ThreadContext<unknown>> } = await import(entry)
  const [port, entryPort] = createLocalPorts()
  const channel = createChannel<Local, Remote>(port, options.handlers, {
    clock,
    peer: `thread ${name}`,
    onError: (err) => log?.error(PLATFORM_PROBLEMS.channelFailed, { peer: name, err }),
    ...(limits && { limits }),
  })
  let body: ThreadBody | undefined
  const fail = (error: Error): void => void nextTurn().then(() => end('died', error))
  const { context } = openContext<unknown>({ name, port: entryPort, limits, reporting, data, fail })
  body = await begin(setup, context, name).catch((error: unknown) => {
    channel.close()
    throw error
  })
  const exited = Promise.withResolvers<ThreadExit>()
  const exit = (how: ThreadExit): Promise<ThreadExit> => {
    channel.close()
    exited.resolve(how)
    return exited.promise
  }
  let isEnding = false
  const end = async (how: ThreadExit['how'], reason?: Error): Promise<void> => {
    if (isEnding) return
    isEnding = true
    const failure = await Promise.try(() => body?.stop?.()).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    )
    const error = reason ?? failure
    void exit({ how, ...(error && { error }) })
  }
  return {
    name,
    channel,
    exited: exited.promise,
    terminate: () => exit({ how: 'terminated' }),
    async stop(deadlineMs) {
      void end('stopped')
      const timer = clock.after(deadlineMs, () => void exit({ how: 'terminated' }))
      const how = await exited.promise
      timer.cancel()
      return how
    },
    workedMs: () => performance.eventLoopUtilization().active,
    heapStatistics: async () => getHeapStatistics(),
    heapUsedBytes: () => undefined,
    cpuMs: async () => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1_000
    },
  }
}

async function begin(
  setup: ThreadSetup<ThreadContext<unknown>>,
  context: ThreadContext<unknown>,
  thread: string,
): Promise<ThreadBody | undefined> {
  try {
    return await setup(context)
  } catch (cause) {
    const sentence = `The thread ${thread} did not start: ${(cause as Error).message}`
    throw platformFault('THREAD_START_FAILED', { sentence, thread }, { cause })
  }
}
