/** A plugin in its thread: what main asks of it is handed to the functions of its definition. */
import { type Clock, systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import type { LifecycleStep } from '#plugins/declaration.ts'
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
} from '#plugins/define-plugin.ts'
import type { GuestConfig, GuestOptions, MethodAnswer } from '#plugins/plugin-protocol.ts'
import { ChainFeed, type ChainFeedParts, tellBlocks, tellLogs } from './chain-feed.ts'
import { createGuestLog, printTo } from './guest-log.ts'
import { GuestMetrics } from './guest-metrics.ts'
import { TableFile } from './table-file.ts'

/** Of one answer of a method, as JSON text. */
const MAX_ANSWER_CHARACTERS = 4 * 1024 * 1024
const MAX_MESSAGE_CHARACTERS = 2_000
const SERVER_ERROR = -32_000

/** Counted for every plugin, beside its own. */
export const LISTENER_FAILURES = 'listener_failures'

type Request = NodeHandle['request']

export class Guest {
  readonly definition: PluginDefinition
  readonly metrics = new GuestMetrics()
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
    const guestLog = createGuestLog(createLog(log).child(this.definition.name), this.#clock)
    printTo(guestLog)
    this.#log = guestLog
    this.#table = await TableFile.open(storageFile)
    this.#handle = {
      options,
      metrics: this.metrics.of(this.definition.metrics ?? {}),
      log: guestLog,
      storage: storageOf(this.#table),
      request: this.#request,
    }
    return null
  }

  async lifecycle(step: LifecycleStep, options: GuestOptions | undefined): Promise<null> {
    const before = this.#node
    if (options !== undefined) this.#handle = { ...before, options }
    try {
      await this.definition[step]?.(this.#node)
    } catch (error) {
      if (step === 'reload') this.#handle = before
      throw error
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
      const text = JSON.stringify((await method.run(params, this.#node)) ?? null, bigintAsQuantity)
      if (text.length <= MAX_ANSWER_CHARACTERS) return { ok: true, text }
      throw new Error(
        `The answer has ${text.length} characters, and at most ${MAX_ANSWER_CHARACTERS} are sent.`,
      )
    } catch (error) {
      return failureOf(error)
    }
  }

  async admission(transactions: readonly OfferedTransaction[]) {
    return await this.definition.admission!.judge(transactions, this.#node)
  }

  async selection(transactions: readonly Omit<OfferedTransaction, 'origin'>[], block: BlockTerms) {
    return await this.definition.selection!.judge(transactions, block, this.#node)
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
    if (step === 'publicKey') return await signer.publicKey(this.#node)
    return await signer[step as 'sign' | 'ecdh'](bytes!, this.#node)
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

/** As JSON-RPC writes numbers. */
function bigintAsQuantity(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `0x${value.toString(16)}` : value
}

function failureOf(thrown: unknown): MethodAnswer {
  const error = thrown instanceof Error ? (thrown as Error & { code?: unknown; data?: unknown }) : undefined
  const code = Number.isInteger(error?.code) ? (error!.code as number) : SERVER_ERROR
  const message = String(error?.message ?? thrown).slice(0, MAX_MESSAGE_CHARACTERS)
  if (error?.data === undefined) return { ok: false, code, message }
  const dataText = JSON.stringify(error.data, bigintAsQuantity)
  return { ok: false, code, message, ...(dataText.length <= MAX_ANSWER_CHARACTERS && { dataText }) }
}
