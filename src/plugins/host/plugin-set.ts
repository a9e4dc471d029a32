/** All plugins of a node: loaded, called and stopped together. */
import { join } from 'node:path'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import type { Clock } from '#platform/clock.ts'
import { ensureDirectory } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Threads } from '#platform/thread/threads.ts'
import { type Declaration, type DeclaredMethod, describeDeclaration } from '#plugins/declaration.ts'
import { pluginFault } from '#plugins/faults.ts'
import type { PluginSource } from '#plugins/find-plugins.ts'
import { PLUGINS_PROBLEMS } from '#plugins/log-problems.ts'
import type { EventName } from '#plugins/plugin-protocol.ts'
import { optionRowsOf, type PluginOptionRows, valuesOf } from '#plugins/plugin-settings.ts'
import { PluginHost } from './plugin-host.ts'
import { createPluginCounts, metricNameOf } from './plugin-metrics.ts'

/** The folder of the plugins' storage files. */
const STORAGE_FOLDER = 'plugin-data'
const HEALTH_DEADLINE_MS = 500

export interface PluginSetOptions {
  readonly clock: Clock
  readonly isVerified: boolean
  readonly continuesOnError: boolean
  readonly maxMemoryMb: number
}

export interface BuildParts {
  readonly log: Log
  readonly threads: Threads
  readonly metrics: Metrics
  readonly dataPath: string
  readonly settings: Settings
  answerRpc(message: string): Promise<string>
}

/** A plugin that could not be loaded, and the reason. */
export interface LeftOutPlugin {
  readonly source: PluginSource
  readonly sentence: string
}

export type ReloadVerdict =
  | { readonly kind: 'success' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly text: string }

export interface FailingPlugin {
  readonly name: string
  readonly cause: string
}

export interface PluginState {
  readonly name: string
  /** Null if the plugin could not be loaded. */
  readonly version: string | null
  readonly state: 'running' | 'failing' | 'restarting' | 'left out'
  /** The reason for any other state than running. */
  readonly cause: string | null
  /** A summary of its declaration. */
  readonly declares: string
}

export class PluginSet {
  readonly leftOut: readonly LeftOutPlugin[]
  readonly #options: PluginSetOptions
  readonly #rows: ReadonlyMap<PluginHost, PluginOptionRows>
  #hosts: readonly PluginHost[]

  private constructor(
    options: PluginSetOptions,
    hosts: readonly PluginHost[],
    leftOut: readonly LeftOutPlugin[],
  ) {
    this.#options = options
    this.#hosts = hosts
    this.leftOut = leftOut
    this.#rows = new Map(hosts.map((host) => [host, optionRowsOf(host.declaration)]))
  }

  /** Rejects if a plugin cannot be loaded, unless the node may start without it. */
  static async load(sources: readonly PluginSource[], options: PluginSetOptions): Promise<PluginSet> {
    const outcomes = await Promise.allSettled(sources.map((source) => PluginHost.load(source, options)))
    const hosts = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const leftOut = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected'
        ? [{ source: sources[index]!, sentence: (outcome.reason as Error).message }]
        : [],
    )
    const mistake = clashOf(hosts) ?? (options.continuesOnError ? undefined : leftOut[0]?.sentence)
    if (mistake !== undefined) {
      await Promise.all(hosts.map((host) => host.stop()))
      throw pluginFault(mistake)
    }
    return new PluginSet(options, hosts, leftOut)
  }

  get hosts(): readonly PluginHost[] {
    return this.#hosts
  }

  optionRows(): readonly Option[] {
    return [...this.#rows.values()].flatMap((rows) => Object.values(rows))
  }

  optionRowsOf(host: PluginHost): PluginOptionRows {
    return this.#rows.get(host)!
  }

  methods(): readonly DeclaredMethod[] {
    return this.#hosts.flatMap(({ declaration }) => declaration.methods)
  }

  async register(parts: BuildParts): Promise<void> {
    if (this.#hosts.length === 0) return
    const { log } = parts
    const counts = createPluginCounts(parts.metrics)
    const folder = join(parts.dataPath, STORAGE_FOLDER)
    ensureDirectory(folder)
    for (const { sentence } of this.leftOut) log.warn(PLUGINS_PROBLEMS.leftOut, { reason: sentence })
    await this.#each('registered', log, async (host) => {
      await host.register({
        log,
        threads: parts.threads,
        counts,
        options: valuesOf(this.optionRowsOf(host), parts.settings),
        storageFile: join(folder, `${host.name}.table`),
        answerRpc: parts.answerRpc,
      })
      const { name, version } = host.declaration
      log.info('Registered plugin', { name, version, declares: describeDeclaration(host.declaration) })
    })
  }

  async start(log: Log): Promise<void> {
    await this.#each('started', log, (host) => host.start())
  }

  async stop(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.stop()))
  }

  /** Reloads the named plugin, or all at once. */
  async reload(name: string | undefined, reread: () => Settings): Promise<ReloadVerdict> {
    const asked = this.#hosts.filter((host) => name === undefined || host.name === name)
    if (name !== undefined && asked.length === 0) return { kind: 'unknown' }
    if (asked.length === 0) return { kind: 'success' }
    let settings: Settings
    try {
      settings = reread()
    } catch (error) {
      const reason = (error as Error).message.replace(/\.$/, '')
      return { kind: 'failed', text: asked.map((host) => `${host.name}:failure (${reason})`).join(',') }
    }
    const reasons = await Promise.all(
      asked.map((host) => host.reload(valuesOf(this.optionRowsOf(host), settings))),
    )
    if (reasons.every((reason) => reason === undefined)) return { kind: 'success' }
    const text = asked.map(({ name: each }, index) => {
      const reason = reasons[index]
      return reason === undefined ? `${each}:success` : `${each}:failure (${reason})`
    })
    return { kind: 'failed', text: text.join(',') }
  }

  /** The plugins whose health check fails. */
  async failing(): Promise<readonly FailingPlugin[]> {
    const asked = this.#hosts.filter(({ declaration }) => declaration.hooks.includes('health'))
    const answers = await Promise.all(
      asked.map(async (host) => {
        const answer = await host.ask('health', null, HEALTH_DEADLINE_MS)
        const cause = answer.ok ? answer.value : 'The plugin does not answer.'
        return cause === undefined ? [] : [{ name: host.name, cause: String(cause) }]
      }),
    )
    return answers.flat()
  }

  async states(): Promise<readonly PluginState[]> {
    const causes = new Map((await this.failing()).map(({ name, cause }) => [name, cause]))
    const loaded = this.#hosts.map(({ name, isUp, declaration }): PluginState => {
      const cause = isUp ? (causes.get(name) ?? null) : 'Its thread has ended and is being started again.'
      return {
        name,
        version: declaration.version,
        state: isUp ? (cause === null ? 'running' : 'failing') : 'restarting',
        cause,
        declares: describeDeclaration(declaration),
      }
    })
    const leftOut = this.leftOut.map(
      ({ source, sentence }): PluginState => ({
        name: source.name,
        version: null,
        state: 'left out',
        cause: sentence,
        declares: 'nothing',
      }),
    )
    return [...loaded, ...leftOut]
  }

  /** True if a plugin listens to these events. */
  hears(name: EventName): boolean {
    return this.#hosts.some(({ declaration }) => declaration.hooks.includes(name))
  }

  tell(name: EventName, event: unknown): void {
    for (const host of this.#hosts) host.tell(name, event)
  }

  async #each(done: string, log: Log, step: (host: PluginHost) => Promise<void>): Promise<void> {
    const outcomes = await Promise.allSettled(this.#hosts.map(step))
    const failed = new Set<PluginHost>()
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') continue
      const host = this.#hosts[index]!
      const sentence = `The plugin ${host.name} could not be ${done}: ${(outcome.reason as Error).message}`
      if (!this.#options.continuesOnError) throw pluginFault(sentence, { cause: outcome.reason })
      log.warn(PLUGINS_PROBLEMS.leftOut, { reason: sentence })
      failed.add(host)
      await host.stop()
    }
    this.#hosts = this.#hosts.filter((host) => !failed.has(host))
  }
}

/** Values that must differ between plugins. */
const UNIQUE: Readonly<Record<string, (declaration: Declaration) => readonly string[]>> = {
  name: ({ name }) => [name],
  namespace: ({ namespace }) => [namespace],
  option: (declaration) => Object.values(optionRowsOf(declaration)).map(({ flag }) => flag),
  metric: ({ name, metrics }) => metrics.map((metric) => metricNameOf(name, metric)),
}

function clashOf(hosts: readonly PluginHost[]): string | undefined {
  for (const [what, valuesOfHost] of Object.entries(UNIQUE)) {
    const seen = new Map<string, PluginHost>()
    for (const host of hosts) {
      for (const value of valuesOfHost(host.declaration)) {
        const other = seen.get(value)
        if (other !== undefined) {
          return `The plugins ${other.source.file} and ${host.source.file} have the same ${what}, ${value}: leave one of them out.`
        }
        seen.set(value, host)
      }
    }
  }
  return undefined
}
