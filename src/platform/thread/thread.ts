import { createRequire, getCompileCacheDir } from 'node:module'
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
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import type { ThreadDefinition, ThreadPlan, ThreadTypes } from './define-thread.ts'
import { watchHeap } from './heap-watch.ts'
import { PROGRAM_ROOT } from './own-modules.ts'
import type { Reporting, ThreadData, ThreadWork } from './thread-data.ts'
import type { ThreadOrder, ThreadReport } from './thread-entry.ts'

/** Takes about a second on an idle machine. A busy machine gets much longer. */
const START_DEADLINE_MS = 60_000
const CPU_LOOK_MS = 100

/**
 * The first code of every worker. Caching compiled code between runs halves the start of a thread, and a dead thread
 * should be replaced soon, but each thread must enable the cache itself before it loads anything. It is a string, because
 * a TypeScript file would load the type stripper first in each thread. Node reads it as a module if the program itself runs
 * with --input-type=module, so it has no `require`.
 */
const BOOT = `
const { entry, finder, compileCache } = process.getBuiltinModule('node:worker_threads').workerData.cairnThread
if (compileCache) process.getBuiltinModule('node:module').enableCompileCache(compileCache)
import(finder).then(({ findOwnModulesByName }) => {
  findOwnModulesByName()
  return import(entry)
})
`

export interface ThreadOptions<Local extends Protocol>
  extends Omit<ThreadDefinition<ThreadTypes>, 'careDeadlineMs'> {
  /** A worker prepared from the same plan. If undefined, a new one is started. */
  readonly prepared?: PreparedThread | undefined
  readonly data?: unknown
  readonly transfer?: TransferList
  readonly handlers: Handlers<Local>
  readonly clock: Clock
  /** If absent, nothing is logged about the thread. */
  readonly log?: Log
  /** How the thread itself logs and reports metrics. */
  readonly reporting?: Reporting
  /** Terminates a thread that is not ready yet. */
  readonly signal?: AbortSignal
}

export interface ThreadExit {
  /** `stopped`: on request. `terminated`: by force. `died`: by itself. */
  readonly how: 'stopped' | 'terminated' | 'died'
  /** The error it died of, or the error of its stop. */
  readonly error?: Error
}

export interface Thread<Local extends Protocol, Remote extends Protocol> {
  readonly name: string
  readonly channel: Channel<Local, Remote>
  /** Lets the thread release its resources, and terminates it at the deadline. */
  stop(deadlineMs: number): Promise<ThreadExit>
  /** Terminates the thread at once. Pending calls fail with THREAD_DIED and this reason, e.g. `it used too much memory`. */
  terminate(reason: string): Promise<ThreadExit>
  readonly exited: Promise<ThreadExit>
  /** Time that the thread's event loop was busy, in milliseconds. Known without asking the thread. */
  workedMs(): number
  heapStatistics(): Promise<HeapInfo>
  /** The last measured value; undefined if the thread is not watched. */
  heapUsedBytes(): number | undefined
  /** CPU time used, in milliseconds. Rejects once the thread has ended. */
  cpuMs(): Promise<number>
}

/** A worker that loads its modules and then waits for its work. It does not keep the process alive. */
export interface PreparedThread {
  readonly worker: Worker
  readonly life: Life
}

function prepareThread(plan: ThreadPlan): PreparedThread {
  const worker = startWorker(plan)
  const life = watchLife(worker, plan.name)
  worker.unref()
  return { worker, life }
}

/** Threads that load their modules while the rest of the node starts. Each waits until its owner takes it, once. */
export class PreparedThreads {
  readonly #waiting: Map<string, PreparedThread>

  constructor(plans: readonly ThreadPlan[]) {
    this.#waiting = new Map(plans.map((plan) => [plan.name, prepareThread(plan)]))
  }

  /** Undefined if there is none, or if it was taken. */
  take(name: string): PreparedThread | undefined {
    const thread = this.#waiting.get(name)
    this.#waiting.delete(name)
    return thread
  }

  /** Terminates the threads that were not taken. */
  end(): void {
    for (const { worker } of this.#waiting.values()) void worker.terminate()
    this.#waiting.clear()
  }
}

/** Resolves when the thread has completed its setup; rejects with THREAD_START_FAILED if it could not. */
export async function startThread<Local extends Protocol, Remote extends Protocol>(
  options: ThreadOptions<Local>,
): Promise<Thread<Local, Remote>> {
  const { name, clock, heap, restart, log } = options
  const { port1, port2 } = new MessageChannel()
  const { worker, life } = giveWork(options, port2)
  const channel = createChannel<Local, Remote>(threadPort(port1, life), options.handlers, {
    clock,
    peer: `thread ${name}`,
    onError: (err) => log?.error(PLATFORM_PROBLEMS.channelFailed, { peer: name, err }),
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
    // A thread that ended before it received its work never held the other end.
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
    workedMs: () => worker.performance.eventLoopUtilization().active,
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
  /** The error for pending calls, known once the thread has exited. */
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

const { ownCompileCache }: { ownCompileCache: () => string | undefined } = createRequire(
  new URL('main.js', PROGRAM_ROOT),
)('../bin/compile-cache.js')

/**
 * Compiled code of a worker is kept even if the main thread keeps none: a program that embeds a node has no reason to.
 * Node keeps a subfolder for each of its versions in the given folder.
 */
function compileCacheFolder(): string | undefined {
  const ofThisVersion = getCompileCacheDir()
  return ofThisVersion === undefined ? ownCompileCache() : dirname(ofThisVersion)
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
    // Other code in the thread may post messages to its parent too.
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

/** Ends with exactly one full stop. */
function explain(reason: string | undefined, error: Error | undefined): string {
  return `${reason ?? error?.message ?? 'it exited'}.`.replace(/\.\.$/, '.')
}

/**
 * The port closes before the worker's exit gives the reason. Pending calls fail only when both have happened: by then
 * every answer of the thread has arrived and the true reason is known.
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

/** Makes one call at a time, because a thread that blocks outside JavaScript does not answer. */
function limitCpu(limitMs: number, clock: Clock, cpuMs: () => Promise<number>, onBeyond: () => void): Timer {
  let isCancelled = false
  let next: Timer
  const look = async (): Promise<void> => {
    // Rejects before the thread runs.
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
