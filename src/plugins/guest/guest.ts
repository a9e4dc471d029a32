/** A plugin in its thread. It passes main's requests to the functions of the definition. */
import { type Clock, systemClock } from '#platform/clock.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { Secret } from '#platform/secret.ts'
import { LISTENER_FAILURES, type LifecycleStep } from '#plugins/declaration.ts'
import type {
  BlockTerms,
  CandidateTransaction,
  Feed,
  MethodContribution,
  NodeHandle,
  OfferedPeer,
  PluginDefinition,
  PluginLog,
  Signer,
  Storage,
  Verdict,
} from '#plugins/define-plugin.ts'
import { PLUGINS_PROBLEMS } from '#plugins/log-problems.ts'
import {
  type GuestConfig,
  type GuestOptions,
  MAX_VERDICT_CHARACTERS,
  type MethodAnswer,
  type SentOptions,
  type SentTransaction,
} from '#plugins/plugin-protocol.ts'
import { ChainFeed, type ChainFeedParts, tellBlocks, tellLogs } from './chain-feed.ts'
import { createGuestLog, printTo } from './guest-log.ts'
import { GuestMetrics } from './guest-metrics.ts'
import { offeredTransaction } from './offered-transaction.ts'
import { TableFile } from './table-file.ts'

/** Maximum length of a method's answer as JSON text. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024
const MAX_MESSAGE_CHARACTERS = 2_000
/** More than any answer of a signer. */
const MAX_SIGNER_BYTES = 128
const SERVER_ERROR = -32_000

type Request = NodeHandle['request']

export class Guest {
  readonly definition: PluginDefinition
  readonly metrics = new GuestMetrics()
  rootLog: RootLog | undefined
  readonly #request: Request
  readonly #clock: Clock
  readonly #feeds: ChainFeed[] = []
  readonly #listenerFailures
  #handle: NodeHandle | undefined
  #log: PluginLog | undefined
  #table: TableFile | undefined

  constructor(definition: PluginDefinition, request: Request, clock: Clock = systemClock) {
    this.definition = definition
    this.#request = request
    this.#clock = clock
    const counter = { kind: 'counter', help: '', labels: ['hook'] } as const
    this.#listenerFailures = this.metrics.of({ [LISTENER_FAILURES]: counter })[LISTENER_FAILURES]!
  }

  async configure({ options, storageFile, log }: GuestConfig): Promise<null> {
    this.rootLog = createLog(log)
    const guestLog = createGuestLog(this.rootLog.child(this.definition.name), this.#clock)
    printTo(guestLog)
    this.#log = guestLog
    this.#table = await TableFile.open(storageFile)
    const { cutBytes } = this.#table
    if (cutBytes > 0) guestLog.warn(PLUGINS_PROBLEMS.storageCut.message, { storageFile, cutBytes })
    this.#handle = {
      options: this.#hideSecrets(options),
      metrics: this.metrics.of(this.definition.metrics ?? {}),
      log: guestLog,
      storage: storageOf(this.#table),
      request: this.#request,
    }
    return null
  }

  #hideSecrets(options: SentOptions): GuestOptions {
    const values = Object.entries(options).map(([name, value]) => {
      const isSecret = this.definition.options?.[name]?.type === 'secret' && value !== undefined
      return [name, isSecret ? new Secret(value) : value]
    })
    return Object.fromEntries(values)
  }

  /** When `signal` aborts, main has given up the step, and a reload has failed. */
  async lifecycle(
    step: LifecycleStep,
    options: SentOptions | undefined,
    signal?: AbortSignal,
  ): Promise<null> {
    const before = this.#node
    const undo = (): void => {
      this.#handle = before
    }
    if (options !== undefined) {
      this.#handle = { ...before, options: this.#hideSecrets(options) }
      signal?.addEventListener('abort', undo, { once: true })
    }
    try {
      await this.definition[step]?.(this.#node)
    } catch (error) {
      if (options !== undefined) undo()
      throw error
    } finally {
      signal?.removeEventListener('abort', undo)
    }
    if (step === 'start') for (const feed of this.#openFeeds()) void this.#startFeed(feed)
    if (step === 'stop') {
      for (const feed of this.#feeds) feed.stop()
      await this.#table?.close()
    }
    return null
  }

  headMoved(number: number): void {
    for (const feed of this.#feeds) feed.headMoved(number)
  }

  async call(name: string, params: Readonly<Record<string, unknown>>): Promise<MethodAnswer> {
    const { namespace = this.definition.name.replaceAll('-', ''), methods = {} } = this.definition
    const method = methods[name.slice(namespace.length + 1)] as MethodContribution<NodeHandle>
    try {
      const text = jsonOf(await method.run(params, this.#node)) ?? 'null'
      if (text.length <= MAX_ANSWER_CHARACTERS) return { ok: true, text }
      throw new Error(
        `The answer has ${text.length} characters, and at most ${MAX_ANSWER_CHARACTERS} are sent.`,
      )
    } catch (err) {
      if (!hasCode(err)) this.#log?.warn(PLUGINS_PROBLEMS.methodFailed.message, { method: name, err })
      return failureOf(err)
    }
  }

  async admission(sent: readonly SentTransaction[]): Promise<readonly Verdict[]> {
    const transactions = sent.map(offeredTransaction)
    const given = await this.definition.admission!.judge(transactions, this.#node)
    return shortened(given, transactions.length)
  }

  async selection(
    transactions: readonly CandidateTransaction[],
    block: BlockTerms,
  ): Promise<readonly Verdict[]> {
    const given = await this.definition.selection!.judge(transactions, block, this.#node)
    return shortened(given, transactions.length)
  }

  async connections(peer: OfferedPeer): Promise<boolean> {
    return (await this.definition.connections!.judge(peer, this.#node)) === true
  }

  async health(): Promise<string | undefined> {
    const answer = await this.definition.health!.check(this.#node)
    return answer === undefined ? undefined : String(answer).slice(0, MAX_MESSAGE_CHARACTERS)
  }

  async signer<Step extends keyof Signer<never>>(step: Step, bytes: Uint8Array | null): Promise<Uint8Array> {
    const signer = this.definition.signer!
    const given =
      step === 'publicKey'
        ? await signer.publicKey(this.#node)
        : await signer[step as 'sign' | 'ecdh'](bytes!, this.#node)
    // Copies the bytes, because a view would send its complete buffer.
    return Uint8Array.from(given.subarray(0, MAX_SIGNER_BYTES))
  }

  /** Errors of a listener are logged, and the next event is still delivered. */
  async hear(hook: string, tell: (node: NodeHandle) => unknown): Promise<void> {
    try {
      await tell(this.#node)
    } catch (err) {
      this.#listenerFailures.add(1, { hook })
      this.#log?.warn(PLUGINS_PROBLEMS.listenerFailed.message, { hook, err })
    }
  }

  get #node(): NodeHandle {
    if (this.#handle === undefined) throw new Error('The plugin was not configured yet.')
    return this.#handle
  }

  #openFeeds(): readonly ChainFeed[] {
    const { block, logs } = this.definition.on ?? {}
    if (block !== undefined) {
      const parts = this.#feedParts('block', block)
      this.#feeds.push(new ChainFeed(parts, tellBlocks(parts, this.#told('block', block))))
    }
    if (logs !== undefined) {
      const parts = this.#feedParts('logs', logs)
      this.#feeds.push(new ChainFeed(parts, tellLogs(parts, logs, this.#told('logs', logs))))
    }
    return this.#feeds
  }

  /** With a cursor, a failed delivery is repeated; without one, the next event matters more. */
  #told<Event>(hook: string, feed: Feed & { handle(event: Event, node: NodeHandle): unknown }) {
    return async (event: Event): Promise<void> => {
      if (feed.cursor === 'durable') await feed.handle(event, this.#node)
      else await this.hear(hook, (node) => feed.handle(event, node))
    }
  }

  #feedParts(name: string, feed: Feed): ChainFeedParts {
    return {
      name,
      feed,
      storage: this.#table!,
      clock: this.#clock,
      log: this.#log!,
      request: this.#request,
      onFailure: () => this.#listenerFailures.add(1, { hook: name }),
    }
  }

  async #startFeed(feed: ChainFeed): Promise<void> {
    try {
      await feed.start()
    } catch (err) {
      this.#log?.warn(PLUGINS_PROBLEMS.feedFailed.message, { err })
      this.#clock.after(FEED_RETRY_MS, () => void this.#startFeed(feed))
    }
  }
}

const FEED_RETRY_MS = 1_000

/** Hides the cursors, which share the table, from the plugin. */
function storageOf(table: TableFile): Storage {
  const own = (key: string) => `own.${key}`
  return {
    get: (key) => table.get(own(key)),
    put: (key, value) => table.put(own(key), value),
    delete: (key) => table.delete(own(key)),
    keys: () => table.keys().flatMap((key) => (key.startsWith('own.') ? [key.slice('own.'.length)] : [])),
  }
}

/** Bounds the size of the answer to main, which checks its content. */
function shortened(given: unknown, count: number): readonly Verdict[] {
  if (!Array.isArray(given)) return []
  // Array.from also covers holes, which `map` skips.
  const verdicts = Array.from(given.slice(0, count + 1), (verdict: unknown) =>
    typeof verdict === 'string' ? verdict.slice(0, MAX_VERDICT_CHARACTERS) : verdict === true,
  )
  return verdicts as Verdict[]
}

/** Undefined if it cannot be serialized. A bigint becomes a JSON-RPC quantity. */
function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `0x${each.toString(16)}` : each,
  )
}

/** An error with a JSON-RPC code is an answer to the client; any other is a mistake of the plugin. */
function hasCode(thrown: unknown): thrown is Error & { readonly code: number } {
  return thrown instanceof Error && 'code' in thrown && Number.isInteger(thrown.code)
}

function failureOf(thrown: unknown): MethodAnswer {
  const error = thrown instanceof Error ? (thrown as Error & { data?: unknown }) : undefined
  const code = hasCode(thrown) ? thrown.code : SERVER_ERROR
  const message = String(error?.message ?? thrown).slice(0, MAX_MESSAGE_CHARACTERS)
  const dataText = dataOf(error?.data)
  return { ok: false, code, message, ...(dataText !== undefined && { dataText }) }
}

/** An error whose data cannot be serialized is answered without it. */
function dataOf(data: unknown): string | undefined {
  try {
    const text = jsonOf(data)
    return text !== undefined && text.length <= MAX_ANSWER_CHARACTERS ? text : undefined
  } catch {
    return undefined
  }
}
