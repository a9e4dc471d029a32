import { isMainThread, type MessagePort, workerData } from 'node:worker_threads'
import type { ChannelLimits } from '#platform/channel/channel-protocol.ts'
import type { LogOptions } from '#platform/log/log.ts'

/** The data that thread.ts passes to a worker. */
export interface ThreadData {
  readonly cairnThread: {
    readonly name: string
    /** The file that calls runThread. */
    readonly entry: string
    /** The path of own-modules.ts, which is loaded before it. */
    readonly finder: string
    /** The starter's folder for compiled code, which is safe to read; undefined if it uses none. */
    readonly compileCache: string | undefined
    /** If undefined, it arrives as the first message. */
    readonly work: ThreadWork | undefined
  }
}

/** Settings for the logs and metrics of a node's threads. */
export interface Reporting {
  readonly log: Pick<LogOptions, 'level' | 'format' | 'colour'>
  readonly metricsPrefix: string
}

/** A thread's assignment. */
export interface ThreadWork {
  readonly port: MessagePort
  readonly limits: Partial<ChannelLimits> | undefined
  readonly lowPriority: boolean
  readonly reporting: Reporting | undefined
  readonly data: unknown
}

/** Undefined on the main thread, and in a worker that another program started. */
export const threadData: ThreadData | undefined =
  !isMainThread && workerData?.cairnThread !== undefined ? workerData : undefined

export const currentThreadName: string = isMainThread ? 'main' : (threadData?.cairnThread.name ?? 'worker')
