/** Supervises all threads of a node: log levels, metrics, head announcements, restarts and an orderly stop. */
import type { Channel, Handlers, TransferList } from '#platform/channel/channel-protocol.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log, RootLog } from '#platform/log/log.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import type { GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { MetricsData } from '#platform/metrics/metrics-merge.ts'
import {
  RestartPauses,
  type ThreadDefinition,
  type ThreadOf,
  type ThreadPlan,
  type ThreadTypes,
} from './define-thread.ts'
import { startHere } from './start-here.ts'
import { type PreparedThreads, startThread, type Thread } from './thread.ts'
import type { Reporting } from './thread-data.ts'
import type { CareOffers } from './thread-entry.ts'

const CARE_DEADLINE_MS = 2_000

export const THREAD_HEAP: GaugeRow<'thread'> = {
  kind: 'gauge',
  category: 'process',
  name: 'thread_heap_bytes',
  help: 'Memory of a server, engine, peers or plugin thread, in bytes',
  labels: ['thread'],
}

export interface ThreadsParts {
  readonly clock: Clock
  /** The log of this thread, whose levels all threads share. */
  readonly rootLog: Pick<RootLog, 'levels' | 'setLevel'>
  readonly reporting: Reporting
  readonly metrics?: Pick<Metrics, 'collectFrom' | 'gaugesOf'>
  readonly prepared?: PreparedThreads
  /** Threads whose work runs on this thread. */
  readonly here?: readonly ThreadPlan[]
}

export interface ThreadStart<Types extends ThreadTypes> {
  /** If undefined, the definition's name applies. */
  readonly name?: string
  readonly log: Log
  readonly handlers: Handlers<Types['asks']>
  readonly data: Types['data']
  readonly transfer?: TransferList
}

export interface KeptThread<Types extends ThreadTypes>
  extends Pick<ThreadStart<Types>, 'name' | 'log' | 'handlers'> {
  readonly begin: () => Pick<ThreadStart<Types>, 'data' | 'transfer'>
  /** If true, nothing waits for the first start, and a failed one is repeated as after an end. */
  readonly inBackground?: boolean
  /** Called with the first thread and with each successor. */
  readonly onStarted: (thread: ThreadOf<ThreadDefinition<Types>>) => void
}

export interface SupervisedThread {
  stop(deadlineMs: number): Promise<void>
}

type AnyThread = Pick<Thread<never, never>, 'name' | 'exited' | 'heapUsedBytes'> & {
  readonly channel: unknown
}
type SetLevel = (level: LogLevel, names: readonly string[] | undefined) => Promise<unknown>

interface Running {
  readonly thread: AnyThread
  readonly channel: Channel<{ readonly events: { readonly headMoved: unknown } }, CareOffers>
  readonly setLevel: SetLevel
}

export class Threads {
  readonly reporting: Reporting
  readonly #parts: ThreadsParts
  readonly #running = new Set<Running>()
  #isLevelChanged = false

  constructor(parts: ThreadsParts) {
    this.reporting = parts.reporting
    this.#parts = parts
    parts.metrics?.gaugesOf(THREAD_HEAP, () => this.#heaps())
  }

  /** Starts a thread that is not replaced. */
  async start<Types extends ThreadTypes>(
    definition: ThreadDefinition<Types>,
    { name = definition.name, ...start }: ThreadStart<Types>,
  ): Promise<ThreadOf<ThreadDefinition<Types>>> {
    const { clock, reporting, prepared, here = [] } = this.#parts
    const isHere = here.some(({ entry }) => entry === definition.entry)
    const thread = await (isHere ? startHere : startThread)<Types['asks'], Types['offers']>({
      ...definition,
      ...start,
      name,
      clock,
      reporting,
      prepared: prepared?.take(name),
    })
    this.adopt(thread, definition)
    return thread
  }

  /** Starts a thread and replaces it whenever it ends, until it is stopped. */
  async keep<Types extends ThreadTypes>(
    definition: ThreadDefinition<Types>,
    { name = definition.name, log, handlers, begin, inBackground = false, onStarted }: KeptThread<Types>,
  ): Promise<SupervisedThread> {
    const { clock } = this.#parts
    const pauses = new RestartPauses(definition.restart)
    let current: Pick<Thread<never, never>, 'stop'> | undefined
    let isStopping = false
    let pause: Timer | undefined
    let starting: Promise<void> | undefined

    const start = async (): Promise<void> => {
      const thread = await this.start(definition, { name, log, handlers, ...begin() })
      const startedMs = clock.monotonicMs()
      current = thread
      void thread.exited.then(({ error }) => {
        current = undefined
        replace(error, clock.monotonicMs() - startedMs)
      })
      if (!isStopping) onStarted(thread)
    }
    const replace = (err: unknown, workedMs: number): void => {
      if (isStopping) return
      log.error(PLATFORM_PROBLEMS.threadReplaced, { thread: name, err })
      pause = clock.after(pauses.nextMs(workedMs), startUntilWorking)
    }
    const startUntilWorking = (): void => {
      starting = start().catch((failure) => replace(failure, 0))
    }

    if (inBackground) startUntilWorking()
    else await start()
    return {
      async stop(deadlineMs) {
        isStopping = true
        pause?.cancel()
        await starting
        await current?.stop(deadlineMs)
      },
    }
  }

  /** Supervises a thread that its owner started. `collect` replaces the metrics that the thread reports. */
  adopt(
    thread: AnyThread,
    { careDeadlineMs = CARE_DEADLINE_MS }: Pick<ThreadDefinition<ThreadTypes>, 'careDeadlineMs'>,
    collect?: () => Promise<MetricsData>,
  ): void {
    const channel = thread.channel as Running['channel']
    const options = { deadlineMs: careDeadlineMs, isUrgent: true }
    const setLevel: SetLevel = (level, names) =>
      channel.request('thread.setLogLevel', { level, names }, options)
    const running = { thread, channel, setLevel }
    this.#running.add(running)
    if (this.#isLevelChanged) this.#repeatLevels(setLevel)
    const report = collect ?? (() => channel.request('thread.metrics', null, options))
    const forget = this.#parts.metrics?.collectFrom(thread.name, report)
    void thread.exited.then(() => {
      this.#running.delete(running)
      forget?.()
    })
  }

  /** Levels by logger name; '' is the default. */
  levels(): ReturnType<RootLog['levels']> {
    return this.#parts.rootLog.levels()
  }

  /** Resolves when every thread has changed its level, has ended or has missed the deadline. */
  async setLevel(level: LogLevel, names: readonly string[] | undefined): Promise<'set' | 'tooMany'> {
    if (!this.#parts.rootLog.setLevel(level, names)) return 'tooMany'
    this.#isLevelChanged = true
    await Promise.allSettled([...this.#running].map((running) => running.setLevel(level, names)))
    return 'set'
  }

  /** Sends the current levels to a thread that started with the options' levels. */
  #repeatLevels(setLevel: SetLevel): void {
    // A parent comes before its children, because it would change them.
    const byName = Object.entries(this.levels()).sort(([one], [other]) => (one < other ? -1 : 1))
    for (const [name, level] of byName) {
      // The thread may have ended; its successor gets the levels then.
      setLevel(level, name === '' ? undefined : [name]).catch(() => undefined)
    }
  }

  /**
   * Announces the head to every listening thread. A thread that misses it gets the head with the next, or with a request.
   */
  announce(head: unknown): void {
    for (const { channel } of this.#running) channel.publish('headMoved', head)
  }

  *#heaps(): Generator<readonly [{ readonly thread: string }, number]> {
    for (const { thread } of this.#running) {
      const bytes = thread.heapUsedBytes()
      if (bytes !== undefined) yield [{ thread: thread.name }, bytes]
    }
  }
}
