/**
 * One plugin as main sees it: its thread, its calls, and how main handles its failures. No call waits beyond its
 * deadline; the caller gets an answer, or the information that it is missing.
 */
import type { Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { MetricsData } from '#platform/metrics/metrics-merge.ts'
import { RestartPauses } from '#platform/thread/define-thread.ts'
import type { ThreadExit } from '#platform/thread/thread.ts'
import type { Threads } from '#platform/thread/threads.ts'
import { checkDeclaration, type Declaration, type LifecycleStep } from '#plugins/declaration.ts'
import { pluginFault } from '#plugins/faults.ts'
import type { PluginSource } from '#plugins/find-plugins.ts'
import { PLUGINS_PROBLEMS } from '#plugins/log-problems.ts'
import type { EventName, GuestOffers } from '#plugins/plugin-protocol.ts'
import { type HeldOptions, revealed } from '#plugins/plugin-settings.ts'
import { isLate, watchForHang } from './hang-watch.ts'
import { type EndCause, type PluginCounts, pluginMetrics } from './plugin-metrics.ts'
import { type GuestThread, type LoadParts, PLUGIN, startGuest } from './start-guest.ts'

type Requests = GuestOffers['requests']

const DESCRIBE_DEADLINE_MS = 30_000
const CONFIGURE_DEADLINE_MS = 30_000
const METRICS_DEADLINE_MS = 500
/** A plugin that answers anything within this time is only slow. */
const SUSPECT_MS = 3_000
/** Clients send these as often as they like. A rule, a signature or a reload never waits behind them. */
const FREQUENT: ReadonlySet<keyof Requests> = new Set(['call', 'health', 'metrics'])
/** Minimum time between two log lines about the same hook. */
const REPEAT_LOG_MS = 10_000
/** Maximum length of a plugin's error message in the log. */
const MAX_REASON_CHARACTERS = 500

/** The parts that exist once the node is being built. */
export interface HostParts {
  readonly log: Log
  readonly threads: Threads
  readonly counts: PluginCounts
  readonly options: HeldOptions
  readonly storageFile: string
  /** Answers a plugin's JSON-RPC request. */
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
  #options: HeldOptions = {}
  #isReloading = false
  /** The state of the node. A restarted plugin is brought to the same state. */
  #goal: 'registered' | 'started' = 'registered'
  /** True once the plugin has reached that state and may be called. */
  #isReady = false
  /** Calls that it answered too late. They are not repeated until it answers something. */
  readonly #unanswered = new Set<keyof Requests>()
  readonly #stopping = new AbortController()
  readonly #pauses = new RestartPauses(PLUGIN.restart)
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

  /** Starts the plugin's thread and reads its declaration. Rejects with the reason if it cannot be used. */
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
    this.#options = parts.options
    await this.#bring(this.#requireThread())
    parts.counts.up(this.name, true)
  }

  async start(): Promise<void> {
    this.#goal = 'started'
    // A restarting plugin gets there by itself.
    if (this.isUp) await this.#step(this.#requireThread(), 'start')
  }

  get options(): HeldOptions {
    return this.#options
  }

  /**
   * Returns undefined, or the reason for a failure. A late reload might still take effect, so the plugin is restarted
   * with the old options.
   */
  async reload(options: HeldOptions): Promise<string | undefined> {
    if (!this.isUp) return 'it is being started again'
    if (this.#isReloading) return 'another reload is under way'
    const thread = this.#requireThread()
    this.#isReloading = true
    try {
      await this.#step(thread, 'reload', options)
      this.#options = options
      return undefined
    } catch (error) {
      if (!isLate(error)) return reasonOf(error)
      const late = `it took longer than ${this.declaration.timeouts.reload} ms`
      this.#end(thread, 'hung', `${late} to reload`)
      return `${late} and is started again with the options in force before`
    } finally {
      this.#isReloading = false
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#restart?.cancel()
    const thread = this.#thread
    if (thread === undefined) return await this.#starting
    if (this.#isReady) {
      await this.#step(thread, 'stop').catch((err: unknown) => {
        this.#parts?.log.warn(PLUGINS_PROBLEMS.stopFailed, { plugin: this.name, err })
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
    if (thread === undefined || !this.#isReady || this.#unanswered.has(name)) {
      this.#parts?.counts.unanswered(this.name, name, 'down')
      return NO_ANSWER
    }
    try {
      const isUrgent = !FREQUENT.has(name)
      const value = await thread.channel.request(name, params as never, { deadlineMs, isUrgent })
      return { ok: true, value: value as Requests[Name]['result'] }
    } catch (error) {
      if (isLate(error)) this.#suspect(thread, name)
      this.#note(name, isLate(error) ? 'late' : 'failed', error)
      return NO_ANSWER
    }
  }

  /** Blocks this call until the plugin has answered something: it may be slow in one call, or silent. */
  #suspect(thread: GuestThread, name: keyof Requests): void {
    if (this.#unanswered.has(name)) return
    this.#unanswered.add(name)
    thread.channel.request('ping', null, { deadlineMs: SUSPECT_MS, isUrgent: true }).then(
      () => {
        if (this.#thread === thread) this.#unanswered.clear()
      },
      () => undefined,
    )
  }

  tell(name: EventName, event: unknown): void {
    if (this.isUp && this.#goal === 'started') this.#thread?.channel.publish(name, event as never)
  }

  async #metrics({ reporting }: Threads): Promise<MetricsData> {
    const answer = await this.ask('metrics', null, METRICS_DEADLINE_MS)
    return pluginMetrics(reporting.metricsPrefix, this.declaration, answer.ok ? answer.value : [])
  }

  /** Called if a check of the plugin's answer fails. */
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
    parts.log.warn(PLUGINS_PROBLEMS.noAnswer, {
      plugin: this.name,
      hook,
      reason: reasonOf(err),
    })
  }

  #requireThread(): GuestThread {
    if (this.#thread === undefined) throw pluginFault(`The plugin ${this.name} ended before it was started.`)
    return this.#thread
  }

  async #bring(thread: GuestThread): Promise<void> {
    const { threads, storageFile } = this.#parts!
    const config = { storageFile, log: threads.reporting.log, options: revealed(this.#options) }
    await thread.channel.request('configure', config, { deadlineMs: CONFIGURE_DEADLINE_MS })
    threads.adopt(thread, PLUGIN, () => this.#metrics(threads))
    await this.#step(thread, 'register')
    if (this.#goal === 'started') await this.#step(thread, 'start')
    this.#isReady = true
  }

  async #step(thread: GuestThread, step: LifecycleStep, options?: HeldOptions): Promise<void> {
    const deadlineMs = this.declaration.timeouts[step]
    await thread.channel.request(
      'lifecycle',
      { step, ...(options && { options: revealed(options) }) },
      { deadlineMs, isUrgent: true },
    )
  }

  /** Supervises the thread from here on. */
  #adopt(thread: GuestThread): void {
    const { clock } = this.#load
    this.#thread = thread
    this.#unanswered.clear()
    this.#endCause = undefined
    this.#startedMs = clock.monotonicMs()
    watchForHang(thread, clock, {
      answered: () => this.#unanswered.clear(),
      hung: (why) => this.#end(thread, 'hung', why),
    })
    void thread.exited.then((exit) => {
      if (this.#thread === thread) this.#onExit(exit)
    })
  }

  /** Terminates a plugin that sends more requests than any plugin needs. */
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
    // The heap watch is the only other code that terminates this thread.
    const cause: EndCause = this.#endCause ?? (exit.how === 'terminated' ? 'memory' : 'died')
    const { clock } = this.#load
    const pauseMs = this.#pauses.nextMs(clock.monotonicMs() - this.#startedMs)
    parts.counts.ended(this.name, cause)
    parts.counts.up(this.name, false)
    parts.log.error(PLUGINS_PROBLEMS.ended, {
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
      // Adopted first, so a hang during its start is detected.
      this.#adopt(thread)
      await this.#bring(thread)
      parts.counts.up(this.name, true)
      parts.log.info('Restarted plugin', { plugin: this.name })
    } catch (error) {
      // An adopted thread exits, and its exit is handled like any other.
      if (thread !== undefined && this.#thread === thread) {
        parts.log.warn(PLUGINS_PROBLEMS.restartFailed, { plugin: this.name, reason: reasonOf(error) })
        this.#endCause ??= 'died'
        void thread.terminate('it could not be started')
        return
      }
      void thread?.terminate('it could not be started')
      if (this.#thread === undefined) this.#onExit({ how: 'died', error: asError(error) })
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function reasonOf(error: unknown): string {
  const [line] = asError(error).message.split('\n')
  return line!.slice(0, MAX_REASON_CHARACTERS).replace(/\.$/, '')
}
