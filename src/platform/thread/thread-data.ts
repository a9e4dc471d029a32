import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import type { ChannelLimits } from '#platform/channel/channel-protocol.ts'
import type { LogOptions } from '#platform/log/log.ts'

/** What thread.ts hands a worker. */
export interface ThreadData {
  readonly cairnThread: {
    readonly name: string
    /** The file that calls runThread. */
    readonly entry: string
    /** own-modules.ts, which comes before it. */
    readonly finder: string
    /** The folder for compiled code of the thread that started it, which is safe to read; undefined if it uses none. */
    readonly compileCache: string | undefined
    /** undefined: it comes as the first message. */
    readonly work: ThreadWork | undefined
  }
}

/** How the threads of a node log and count. */
export interface Reporting {
  readonly log: Pick<LogOptions, 'level' | 'format' | 'colour'>
  readonly metricsPrefix: string
}

/** What a thread is for. */
export interface ThreadWork {
  readonly port: MessagePort
  readonly limits: Partial<ChannelLimits> | undefined
  readonly lowPriority: boolean
  readonly reporting: Reporting | undefined
  /** The caller's own. */
  readonly data: unknown
}

/** Undefined on the main thread, and in a worker that somebody else started. */
export const threadData: ThreadData | undefined =
  !isMainThread && workerData?.cairnThread !== undefined ? workerData : undefined

/** The name of this thread in logs and metrics. */
export const currentThreadName: string = isMainThread ? 'main' : (threadData?.cairnThread.name ?? 'worker')
