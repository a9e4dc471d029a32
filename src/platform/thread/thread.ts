import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { HeapInfo } from 'node:v8'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { createChannel } from '#platform/channel/channel.ts'
import { type ChannelPort, messagePortToChannelPort } from '#platform/channel/channel-port.ts'
import type { Channel, Handlers, Protocol, TransferList } from '#platform/channel/channel-protocol.ts'
import { decodeError } from '#platform/channel/channel-wire.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import type { Log } from '#platform/log/log.ts'
import type { ThreadDefinition, ThreadPlan, ThreadTypes } from './define-thread.ts'
import { watchHeap } from './heap-watch.ts'
import type { Reporting, ThreadData, ThreadWork } from './thread-data.ts'
import type { ThreadOrder, ThreadReport } from './thread-entry.ts'

/** A second on a quiet machine; on one that starves it, no reason to give up a node. */
const START_DEADLINE_MS = 60_000
const CPU_LOOK_MS = 100

/**
 * Where every worker begins. Compiled code that is remembered between runs halves the start of a thread, and one that
 * died is to be replaced soon; but each thread has to ask for it by itself, before it loads anything. As text, since a
 * file in TypeScript would be one that is loaded before: it would cost each thread a compiler of types.
 */
const BOOT = `
const { entry, finder, compileCache } = require('node:worker_threads').workerData.cairnThread
if (compileCache) require('node:module').enableCompileCache(compileCache)
import(finder).then(({ findOwnModulesByName }) => {
  findOwnModulesByName()
  return import(entry)
})
`

export interface ThreadOptions<Local extends Protocol>
  extends Omit<ThreadDefinition<ThreadTypes>, 'careDeadlineMs'> {
  /** Made by the same plan; undefined: a new one. */
  readonly prepared?: PreparedThread | undefined
  readonly data?: unknown
  readonly transfer?: TransferList
  /** What this side answers. */
  readonly handlers: Handlers<Local>
  readonly clock: Clock
  /** Without it, nothing is logged about the thread. */
  readonly log?: Log
  /** How the thread itself logs and counts. */
  readonly reporting?: Reporting
  /** Ends one that is not ready yet. */
  readonly signal?: AbortSignal
}

export interface ThreadExit {
  /** `stopped`: as asked. `terminated`: by us, without its consent. `died`: by itself. */
  readonly how: 'stopped' | 'terminated' | 'died'
  /** What it died of, or what its stop reported. */
  readonly error?: Error
}

export interface Thread<Local extends Protocol, Remote extends Protocol> {
  readonly name: string
  readonly channel: Channel<Local, Remote>
  /** Lets the thread release what it holds; terminates it when it has not ended by then. */
  stop(deadlineMs: number): Promise<ThreadExit>
  /** At once. Those who wait for it get THREAD_DIED with this reason, e.g. `it used too much memory`. */
  terminate(reason: string): Promise<ThreadExit>
  readonly exited: Promise<ThreadExit>
  heapStatistics(): Promise<HeapInfo>
  /** As it was seen last; undefined: nobody watches it. */
  heapUsedBytes(): number | undefined
  /** CPU time that it has used, in milliseconds. Rejects once it has ended. */
  cpuMs(): Promise<number>
}

/** A worker that loads its modules, and then waits for what it is to do. It keeps no process alive. */
export interface PreparedThread {
  readonly worker: Worker
  readonly life: Life
}

export function prepareThread(plan: ThreadPlan): PreparedThread {
  const worker = startWorker(plan)
  const life = watchLife(worker, plan.name)
  worker.unref()
  return { worker, life }
}

/** Resolves when the thread has set itself up, and rejects with THREAD_START_FAILED when it could not. */
export async function startThread<Local extends Protocol, Remote extends Protocol>(
  options: ThreadOptions<Local>,
): Promise<Thread<Local, Remote>> {
  const { name, clock, heap, restart, log } = options
  const { port1, port2 } = new MessageChannel()
  const { worker, life } = giveWork(options, port2)
  const channel = createChannel<Local, Remote>(threadPort(port1, life), options.handlers, {
    clock,
    peer: `thread ${name}`,
    onError: (err) => log?.error('The channel to a thread failed.', { thread: name, err }),
    ...(options.limits && { limits: options.limits }),
  })

  const terminate = (reason: string): Promise<ThreadExit> => {
    life.terminating ??= reason
    void worker.terminate()
    return life.exited
  }
  const cpuMs = async (): Promise<number> => {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  }
  try {
    await untilReady(life, options, cpuMs, terminate)
  } catch (error) {
    // One that ended before it was given its work has not got the other end.
    channel.close()
    throw error
  }

  let heapUsedBytes: number | undefined
  const thread: Thread<Local, Remote> = {
    name,
    channel,
    exited: life.exited,
    terminate,
    async stop(deadlineMs) {
      life.isStopping = true
      worker.postMessage('stop' satisfies ThreadOrder)
      const timer = clock.after(deadlineMs, () => void terminate(`it did not stop within ${deadlineMs} ms`))
      const exit = await life.exited
      timer.cancel()
      return exit
    },
    heapStatistics: () => worker.getHeapStatistics(),
    heapUsedBytes: () => heapUsedBytes,
    cpuMs,
  }
  if (heap !== undefined && restart !== 'never') {
    watchHeap(thread, { clock, log }, (bytes) => {
      heapUsedBytes = bytes
    })
  }
  return thread
}

interface Life {
  readonly ready: Promise<void>
  readonly exited: Promise<ThreadExit>
  /** Why those in flight get no answer; known once it has exited. */
  fault: Error | undefined
  isStopping: boolean
  terminating: string | undefined
}

function giveWork(options: ThreadOptions<Protocol>, port: MessagePort): PreparedThread {
  const { prepared, limits, lowPriority = false, reporting, data, transfer = [] } = options
  const work: ThreadWork = { port, limits, lowPriority, reporting, data }
  const transferred = [port, ...transfer]
  if (prepared === undefined) {
    const worker = startWorker(options, work, transferred)
    return { worker, life: watchLife(worker, options.name) }
  }
  prepared.worker.ref()
  prepared.worker.postMessage(work, transferred)
  return prepared
}

/** Node keeps a folder for each of its versions in the one that it was given. */
function compileCacheFolder(): string | undefined {
  const ofThisVersion = getCompileCacheDir()
  return ofThisVersion && dirname(ofThisVersion)
}

function startWorker(
  { name, entry, heap, isSilent = false }: ThreadPlan,
  work?: ThreadWork,
  transferList: TransferList = [],
): Worker {
  const workerData: ThreadData = {
    cairnThread: {
      name,
      entry,
      finder: import.meta.resolve('#platform/thread/own-modules.ts'),
      compileCache: compileCacheFolder(),
      work,
    },
  }
  return new Worker(BOOT, {
    eval: true,
    name,
    workerData,
    transferList: [...transferList],
    stdout: isSilent,
    stderr: isSilent,
    ...(heap && { resourceLimits: heap }),
  })
}

function watchLife(worker: Worker, name: string): Life {
  const ready = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<ThreadExit>()
  const life: Life = {
    ready: ready.promise,
    exited: exited.promise,
    fault: undefined,
    isStopping: false,
    terminating: undefined,
  }
  let error: Error | undefined
  worker.on('message', (report: ThreadReport | null | undefined) => {
    if (report?.kind === 'ready') ready.resolve()
    // Whatever runs in it may post messages to its parent, which are none of these.
    else if (typeof report?.error === 'object') error = decodeError(report.error)
  })
  worker.on('error', (thrown) => {
    error = thrown instanceof Error ? thrown : new Error(String(thrown))
  })
  worker.on('exit', () => {
    const how = life.terminating !== undefined ? 'terminated' : life.isStopping ? 'stopped' : 'died'
    life.fault = exitFault(name, how, life.terminating, error)
    exited.resolve({ how, ...(error && { error }) })
  })
  return life
}

function exitFault(
  name: string,
  how: ThreadExit['how'],
  reason: string | undefined,
  cause: Error | undefined,
) {
  if (how === 'stopped') {
    return platformFault('CHANNEL_CLOSED', { sentence: `The thread ${name} was stopped.`, thread: name })
  }
  const sentence = `The thread ${name} ended unexpectedly: ${explain(reason, cause)}`
  return platformFault('THREAD_DIED', { sentence, thread: name }, cause && { cause })
}

/** Ends with one full stop, whether or not the error's own sentence has one. */
function explain(reason: string | undefined, error: Error | undefined): string {
  return `${reason ?? error?.message ?? 'it exited'}.`.replace(/\.\.$/, '.')
}

/**
 * The port closes before the worker's exit says why. Those in flight are told only when both are known:
 * then every answer that the thread still gave has arrived, and the reason is the true one.
 */
function threadPort(port: MessagePort, life: Life): ChannelPort {
  const plain = messagePortToChannelPort(port)
  return {
    ...plain,
    onClose: (listener) => {
      plain.onClose(() => void life.exited.then(() => listener(life.fault)))
    },
  }
}

async function untilReady(
  life: Life,
  options: Pick<ThreadOptions<Protocol>, 'name' | 'clock' | 'startDeadlineMs' | 'startCpuMs' | 'signal'>,
  cpuMs: () => Promise<number>,
  terminate: (reason: string) => Promise<ThreadExit>,
): Promise<void> {
  const { name, clock, startDeadlineMs = START_DEADLINE_MS, startCpuMs, signal } = options
  const late = `it was not ready within ${startDeadlineMs} ms`
  const looped = `it was not ready after ${startCpuMs} ms of computing`
  const limits = [
    clock.after(startDeadlineMs, () => void terminate(late)),
    ...(startCpuMs === undefined ? [] : [limitCpu(startCpuMs, clock, cpuMs, () => void terminate(looped))]),
  ]
  const onAbort = (): void => void terminate('it is not needed any more')
  if (signal?.aborted) onAbort()
  signal?.addEventListener('abort', onAbort, { once: true })
  const exit = await Promise.race([life.ready, life.exited])
  signal?.removeEventListener('abort', onAbort)
  for (const limit of limits) limit.cancel()
  if (exit === undefined) return
  const sentence = `The thread ${name} did not start: ${explain(life.terminating, exit.error)}`
  throw platformFault('THREAD_START_FAILED', { sentence, thread: name }, exit.error && { cause: exit.error })
}

/** One question at a time: a thread that sleeps outside of JavaScript does not answer it. */
function limitCpu(limitMs: number, clock: Clock, cpuMs: () => Promise<number>, onBeyond: () => void): Timer {
  let isCancelled = false
  let next: Timer
  const look = async (): Promise<void> => {
    // There is none to be had before it runs.
    const usedMs = await cpuMs().catch(() => 0)
    if (isCancelled) return
    if (usedMs > limitMs) onBeyond()
    else lookSoon()
  }
  const lookSoon = (): void => {
    next = clock.after(CPU_LOOK_MS, () => void look())
  }
  lookSoon()
  return {
    cancel: () => {
      isCancelled = true
      next.cancel()
    },
  }
}
