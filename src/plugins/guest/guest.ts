/** A plugin in its thread: what main asks of it is handed to the functions of its definition. */
import { type Clock, systemClock } from '#platform/clock.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { Secret } from '#platform/secret.ts'
import { LISTENER_FAILURES, type LifecycleStep } from '#plugins/declaration.ts'
import type {
  BlockTerms,
  MethodContribution,
  NodeHandle,
  OfferedPeer,
  OfferedTransaction,
  PluginDefinition,
  PluginLog,
  Signer,
  Storage,
  Verdict,
} from '#plugins/define-plugin.ts'
import {
  type GuestConfig,
  type GuestOptions,
  MAX_VERDICT_CHARACTERS,
  type MethodAnswer,
  type SentOptions,
} from '#plugins/plugin-protocol.ts'
import { ChainFeed, type ChainFeedParts, tellBlocks, tellLogs } from './chain-feed.ts'
import { createGuestLog, printTo } from './guest-log.ts'
import { GuestMetrics } from './guest-metrics.ts'
import { TableFile } from './table-file.ts'

/** Of one answer of a method, as JSON text. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024
const MAX_MESSAGE_CHARACTERS = 2_000
/** More than any answer of a signer has. */
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
    if (cutBytes > 0) {
      const sentence =
        'The end of the storage was not whole and was cut off: what was kept there is gone, and events may be told again.'
      guestLog.warn(sentence, { storageFile, cutBytes })
    }
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

  /** When `signal` aborts, nobody waits for the step any more, and a reload has failed. */
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
    } catch (error) {
      return failureOf(error)
    }
  }

  async admission(transactions: readonly OfferedTransaction[]): Promise<readonly Verdict[]> {
    const given = await this.definition.admission!.judge(transactions, this.#node)
    return shortened(given, transactions.length)
  }

  async selection(
    transactions: readonly Omit<OfferedTransaction, 'origin'>[],
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
    // A view would take along all of what it is a part of.
    return Uint8Array.from(given.subarray(0, MAX_SIGNER_BYTES))
  }

  /** What a listener throws is its own business: the next piece of news comes all the same. */
  async hear(hook: string, tell: (node: NodeHandle) => unknown): Promise<void> {
    try {
      await tell(this.#node)
    } catch (err) {
      this.#listenerFailures.add(1, { hook })
      this.#log?.warn(`The listener to ${hook} failed.`, { err })
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
      const handle = this.#told('block', block, (event: Parameters<typeof block.handle>[0]) =>
        block.handle(event, this.#node),
      )
      this.#feeds.push(new ChainFeed(parts, tellBlocks(parts, handle)))
    }
    if (logs !== undefined) {
      const parts = this.#feedParts('logs', logs)
      const handle = this.#told('logs', logs, (events: Parameters<typeof logs.handle>[0]) =>
        logs.handle(events, this.#node),
      )
      this.#feeds.push(new ChainFeed(parts, tellLogs(parts, logs, handle)))
    }
    return this.#feeds
  }

  /** With a cursor, who fails is told again; without, what happens next matters more. */
  #told<News>(hook: string, feed: ChainFeedParts['feed'], handle: (news: News) => unknown) {
    return async (news: News): Promise<void> => {
      if (feed.cursor === 'durable') await handle(news)
      else await this.hear(hook, () => handle(news))
    }
  }

  #feedParts(name: string, feed: ChainFeedParts['feed']): ChainFeedParts {
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
      this.#log?.warn('Blocks could not be asked for; it is tried again.', { err })
      this.#clock.after(FEED_RETRY_MS, () => void this.#startFeed(feed))
    }
  }
}

const FEED_RETRY_MS = 1_000

/** A plugin does not see the cursors, which are kept beside what it keeps. */
function storageOf(table: TableFile): Storage {
  const own = (key: string) => `own.${key}`
  return {
    get: (key) => table.get(own(key)),
    put: (key, value) => table.put(own(key), value),
    delete: (key) => table.delete(own(key)),
    keys: () => table.keys().flatMap((key) => (key.startsWith('own.') ? [key.slice('own.'.length)] : [])),
  }
}

/** So that nothing large crosses to main, which checks what it is. */
function shortened(given: unknown, count: number): readonly Verdict[] {
  if (!Array.isArray(given)) return []
  // Also of what is missing in the middle, which `map` leaves out.
  const verdicts = Array.from(given.slice(0, count + 1), (verdict: unknown) =>
    typeof verdict === 'string' ? verdict.slice(0, MAX_VERDICT_CHARACTERS) : verdict === true,
  )
  return verdicts as Verdict[]
}

/** undefined: it cannot be written. Numbers of any size are as JSON-RPC writes them. */
function jsonOf(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `0x${each.toString(16)}` : each,
  )
}

function failureOf(thrown: unknown): MethodAnswer {
  const error = thrown instanceof Error ? (thrown as Error & { code?: unknown; data?: unknown }) : undefined
  const code = Number.isInteger(error?.code) ? (error!.code as number) : SERVER_ERROR
  const message = String(error?.message ?? thrown).slice(0, MAX_MESSAGE_CHARACTERS)
  const dataText = dataOf(error?.data)
  return { ok: false, code, message, ...(dataText !== undefined && { dataText }) }
}

/** Of an error, which is answered without it rather than not at all. */
function dataOf(data: unknown): string | undefined {
  try {
    const text = jsonOf(data)
    return text !== undefined && text.length <= MAX_ANSWER_CHARACTERS ? text : undefined
  } catch {
    return undefined
  }
}
