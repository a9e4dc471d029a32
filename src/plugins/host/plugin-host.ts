/**
 * One plugin as main has it: its thread, what is asked of it, and what becomes of it when it misbehaves. Nothing here waits
 * for a plugin beyond a deadline; who asks gets an answer or hears that there is none.
 */

import type { Clock, Timer } from '#platform/clock.ts'
import { createLog, type Log } from '#platform/log/log.ts'
import type { MetricsSnapshot } from '#platform/metrics/metrics-merge.ts'
import { watchHeap } from '#platform/thread/heap-watch.ts'
import { startThread, type Thread, type ThreadExit } from '#platform/thread/thread.ts'
import { checkDeclaration, type Declaration, type LifecycleStep } from '#plugins/declaration.ts'
import { pluginFault } from '#plugins/faults.ts'
import type { PluginSource } from '#plugins/find-plugins.ts'
import type {
  GuestConfig,
  GuestOffers,
  GuestOptions,
  HostOffers,
  NewsName,
} from '#plugins/plugin-protocol.ts'
import { watchForHang } from './hang-watch.ts'
import { isLate } from './late.ts'
import { type EndCause, type PluginCounts, pluginSnapshot } from './plugin-metrics.ts'
import { createChannelPace } from './request-pace.ts'

type GuestThread = Thread<HostOffers, GuestOffers>
type Requests = GuestOffers['requests']

/** Of computing: a module that takes longer loops. */
const LOAD_CPU_MS = 10_000
/** A busy machine may take this long for what is not the plugin's work. */
const LOAD_DEADLINE_MS = 120_000
const DESCRIBE_DEADLINE_MS = 30_000
const CONFIGURE_DEADLINE_MS = 30_000
const METRICS_DEADLINE_MS = 500
/** One that answered something by then was only slow. */
const SUSPECT_MS = 3_000
const RESTART_MS = { first: 1_000, most: 60_000 }
/** Who worked this long begins anew with the shortest pause. */
const SETTLED_MS = 600_000
/** Between two lines of the log about the same hook. */
const REPEAT_LOG_MS = 10_000
/** Of what a plugin throws, in the log. */
const MAX_REASON_CHARACTERS = 500
const YOUNG_GENERATION_MB = 16
/** heap-watch.ts ends a thread at a quarter of V8's limit, so that the process never meets that. */
const LIMIT_PER_ALLOWED = 4

export interface LoadParts {
  readonly clock: Clock
  readonly maxMemoryMb: number
}

/** What there is once the node is being built. */
export interface HostParts {
  readonly log: Log
  readonly counts: PluginCounts
  readonly metricsPrefix: string
  readonly config: GuestConfig
  /** A request of the plugin, as JSON text. */
  answerRpc(message: string): Promise<string>
}

export type GuestAnswer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false }

const NO_ANSWER = { ok: false } as const

export class PluginHost {
  readonly source: PluginSource
  readonly declaration: Declaration
  readonly #load: LoadParts
  #parts: HostParts | undefined
  #thread: GuestThread | undefined
  #options: GuestOptions = {}
  /** How far the node is: one that is started again is brought as far. */
  #goal: 'registered' | 'started' = 'registered'
  /** It was brought that far, and may be asked. */
  #isReady = false
  /** It was late and has said nothing since: asking again would only wait. */
  #isSilent = false
  readonly #stopping = new AbortController()
  #failures = 0
  #startedMs = 0
  #restart: Timer | undefined
  #starting: Promise<void> | undefined
  #endCause: EndCause | undefined
  readonly #loggedMs = new Map<string, number>()

  private constructor(source: PluginSource, declaration: Declaration, load: LoadParts) {
    this.source = source
    this.declaration = declaration
    this.#load = load
  }

  /** Starts its thread and asks what it is. It rejects with a sentence that says why it cannot be used. */
  static async load(source: PluginSource, load: LoadParts): Promise<PluginHost> {
    let host: PluginHost | undefined
    const thread = await startGuest(source, load, () => host)
    try {
      const described = await thread.channel.request('describe', null, { deadlineMs: DESCRIBE_DEADLINE_MS })
      host = new PluginHost(source, checkDeclaration(described, source.file), load)
    } catch (error) {
      await thread.terminate('it cannot be used')
      throw error
    }
    host.#adopt(thread)
    return host
  }

  get name(): string {
    return this.declaration.name
  }

  get isUp(): boolean {
    return this.#thread !== undefined && this.#isReady
  }

  get parts(): HostParts | undefined {
    return this.#parts
  }

  /** Configures it and calls `register`. */
  async register(parts: HostParts): Promise<void> {
    this.#parts = parts
    this.#options = parts.config.options
    await this.#bring(this.#requireThread())
    parts.counts.up(this.name, true)
  }

  async start(): Promise<void> {
    this.#goal = 'started'
    // One that is being started again gets there by itself.
    if (this.isUp) await this.#step(this.#requireThread(), 'start')
  }

  /** undefined: it did; otherwise why not. */
  /** In force. */
  get options(): GuestOptions {
    return this.#options
  }

  async reload(options: GuestOptions): Promise<string | undefined> {
    if (!this.isUp) return 'it is being started again'
    try {
      await this.#step(this.#requireThread(), 'reload', options)
      this.#options = options
      return undefined
    } catch (error) {
      return isLate(error) ? `it took longer than ${this.declaration.timeouts.reload} ms` : reasonOf(error)
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#restart?.cancel()
    const thread = this.#thread
    if (thread === undefined) return await this.#starting
    if (this.#isReady) {
      await this.#step(thread, 'stop').catch((err: unknown) => {
        this.#parts?.log.warn('The plugin did not stop cleanly.', { plugin: this.name, err })
      })
    }
    await thread.terminate('the node stops')
  }

  /** Never rejects, and takes no longer than the deadline. */
  async ask<Name extends keyof Requests & string>(
    name: Name,
    params: Requests[Name]['params'],
    deadlineMs: number,
  ): Promise<GuestAnswer<Requests[Name]['result']>> {
    const thread = this.#thread
    if (thread === undefined || !this.#isReady || this.#isSilent) {
      this.#parts?.counts.unanswered(this.name, name, 'down')
      return NO_ANSWER
    }
    try {
      const value = await thread.channel.request(name, params as never, { deadlineMs })
      return { ok: true, value: value as Requests[Name]['result'] }
    } catch (error) {
      if (isLate(error)) this.#suspect(thread)
      this.#note(name, isLate(error) ? 'late' : 'failed', error)
      return NO_ANSWER
    }
  }

  /** Slow in one thing, or silent: nobody waits for it until it has answered something. */
  #suspect(thread: GuestThread): void {
    if (this.#isSilent) return
    this.#isSilent = true
    thread.channel.request('ping', null, { deadlineMs: SUSPECT_MS }).then(
      () => {
        if (this.#thread === thread) this.#isSilent = false
      },
      () => undefined,
    )
  }

  tell(name: NewsName, news: unknown): void {
    if (this.isUp && this.#goal === 'started') this.#thread?.channel.publish(name, news as never)
  }

  async metrics(): Promise<MetricsSnapshot> {
    const answer = await this.ask('metrics', null, METRICS_DEADLINE_MS)
    const { metricsPrefix } = this.#parts!
    return pluginSnapshot(metricsPrefix, this.declaration, answer.ok ? answer.value : [])
  }

  /** Told by whoever checks what it answered. */
  noteUnusable(hook: string, what: string): void {
    this.#note(hook, 'failed', new Error(what))
  }

  #note(hook: string, cause: 'late' | 'failed', err: unknown): void {
    const parts = this.#parts
    if (parts === undefined) return
    parts.counts.unanswered(this.name, hook, cause)
    const nowMs = this.#load.clock.monotonicMs()
    if (nowMs - (this.#loggedMs.get(hook) ?? Number.NEGATIVE_INFINITY) < REPEAT_LOG_MS) return
    this.#loggedMs.set(hook, nowMs)
    parts.log.warn('A plugin did not answer; its declared choice counts.', {
      plugin: this.name,
      hook,
      why: reasonOf(err),
    })
  }

  #requireThread(): GuestThread {
    if (this.#thread === undefined) throw pluginFault(`The plugin ${this.name} ended before it was started.`)
    return this.#thread
  }

  async #bring(thread: GuestThread): Promise<void> {
    const config = { ...this.#parts!.config, options: this.#options }
    await thread.channel.request('configure', config, { deadlineMs: CONFIGURE_DEADLINE_MS })
    await this.#step(thread, 'register')
    if (this.#goal === 'started') await this.#step(thread, 'start')
    this.#isReady = true
  }

  async #step(thread: GuestThread, step: LifecycleStep, options?: GuestOptions): Promise<void> {
    const deadlineMs = this.declaration.timeouts[step]
    await thread.channel.request('lifecycle', { step, ...(options && { options }) }, { deadlineMs })
  }

  /** From here on it is looked after. */
  #adopt(thread: GuestThread): void {
    const { clock } = this.#load
    this.#thread = thread
    this.#isSilent = false
    this.#endCause = undefined
    this.#startedMs = clock.monotonicMs()
    const log = this.#parts?.log ?? createLog({ level: 'OFF' })
    watchHeap(thread, { clock, log }, () => undefined)
    watchForHang(thread, clock, {
      answered: () => {
        this.#isSilent = false
      },
      hung: (why) => this.#end(thread, 'hung', why),
    })
    void thread.exited.then((exit) => {
      if (this.#thread === thread) this.#onExit(exit)
    })
  }

  /** It sends more than a plugin ever has to. */
  endForFlood(): void {
    if (this.#thread !== undefined) this.#end(this.#thread, 'flood', 'it sent too many requests')
  }

  #end(thread: GuestThread, cause: EndCause, why: string): void {
    if (this.#endCause !== undefined) return
    this.#endCause = cause
    void thread.terminate(why)
  }

  #onExit(exit: ThreadExit): void {
    this.#thread = undefined
    this.#isReady = false
    const parts = this.#parts
    if (this.#stopping.signal.aborted || parts === undefined) return
    // Somebody else terminates a thread for one reason only.
    const cause: EndCause = this.#endCause ?? (exit.how === 'terminated' ? 'memory' : 'died')
    const { clock } = this.#load
    if (clock.monotonicMs() - this.#startedMs > SETTLED_MS) this.#failures = 0
    const pauseMs = Math.min(RESTART_MS.most, RESTART_MS.first * 2 ** this.#failures)
    this.#failures++
    parts.counts.ended(this.name, cause)
    parts.counts.up(this.name, false)
    parts.log.error('A plugin ended and will be started again.', {
      plugin: this.name,
      cause,
      pauseMs,
      ...(exit.error && { err: exit.error }),
    })
    this.#restart = clock.after(pauseMs, () => this.#beginAgain(), { unref: true })
  }

  #beginAgain(): void {
    this.#starting = this.#startAgain().finally(() => {
      this.#starting = undefined
    })
  }

  async #startAgain(): Promise<void> {
    const parts = this.#parts!
    let thread: GuestThread | undefined
    try {
      thread = await startGuest(this.source, this.#load, () => this, this.#stopping.signal)
      const described = await thread.channel.request('describe', null, { deadlineMs: DESCRIBE_DEADLINE_MS })
      const declaration = checkDeclaration(described, this.source.file)
      if (JSON.stringify(declaration) !== JSON.stringify(this.declaration)) {
        throw pluginFault(
          'Its module declares other things than when the node was started: restart the node.',
        )
      }
      if (this.#stopping.signal.aborted) {
        await thread.terminate('the node stops')
        return
      }
      // Adopted before it is brought up, so that a hang there is seen.
      this.#adopt(thread)
      await this.#bring(thread)
      parts.counts.up(this.name, true)
      parts.log.info('A plugin was started again.', { plugin: this.name })
    } catch (error) {
      // One that was adopted ends by itself or is ended here, and its end is noted like any other.
      if (thread !== undefined && this.#thread === thread) {
        parts.log.warn('A plugin could not be started again.', { plugin: this.name, why: reasonOf(error) })
        this.#endCause ??= 'died'
        void thread.terminate('it could not be started')
        return
      }
      void thread?.terminate('it could not be started')
      if (this.#thread === undefined) this.#onExit({ how: 'died', error: asError(error) })
    }
  }
}

async function startGuest(
  source: PluginSource,
  { clock, maxMemoryMb }: LoadParts,
  host: () => PluginHost | undefined,
  signal?: AbortSignal,
): Promise<GuestThread> {
  const pace = createChannelPace(clock, () => host()?.endForFlood())
  return await startThread<HostOffers, GuestOffers>({
    name: `plugin-${source.name}`,
    entry: import.meta.resolve('#plugins/guest/plugin-thread-entry.ts'),
    data: { module: source.module },
    clock,
    startDeadlineMs: LOAD_DEADLINE_MS,
    startCpuMs: LOAD_CPU_MS,
    ...(signal && { signal }),
    lowPriority: true,
    isSilent: true,
    resourceLimits: {
      maxOldGenerationSizeMb: LIMIT_PER_ALLOWED * maxMemoryMb,
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
    },
    onError: () => undefined,
    handlers: {
      requests: {
        rpc: async (message) => {
          await pace()
          const parts = host()?.parts
          if (parts === undefined) throw pluginFault('The node answers requests from register on.')
          return await parts.answerRpc(message)
        },
      },
    },
  }).catch((error: Error) => {
    throw pluginFault(`The plugin ${source.file} could not be loaded: ${causeOf(error)}`, { cause: error })
  })
}

/** What the module itself threw says more than that its thread did not start. */
function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function reasonOf(error: unknown): string {
  const [line] = asError(error).message.split('\n')
  return line!.slice(0, MAX_REASON_CHARACTERS).replace(/\.$/, '')
}
