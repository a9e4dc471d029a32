/**
 * Delivers blocks or logs, one block after the other, from a cursor to the head, at the plugin's pace. They are read from
 * the node by JSON-RPC, so only head numbers have to cross from main, and none is lost if one is late.
 */
import type { Clock } from '#platform/clock.ts'
import type { BlockEvent, Feed, LogEvent, LogFeed, PluginLog, Storage } from '#plugins/define-plugin.ts'
import { PLUGINS_PROBLEMS } from '#plugins/log-problems.ts'

interface Told {
  readonly number: number
  readonly hash: string
}

export interface ChainFeedParts {
  /** `block` or `logs`, the name of its cursor. */
  readonly name: string
  readonly feed: Feed
  readonly storage: Storage
  readonly clock: Clock
  readonly log: PluginLog
  request(method: string, params: readonly unknown[]): Promise<unknown>
  onFailure(): void
}

/** Delivers the events after `from` up to `to`, and yields each block that was delivered or has none. */
type TellRange = (from: number, to: number) => AsyncIterable<Told | 'unwound'>

const CURSOR_PREFIX = 'cairn.cursor.'
/** The depth of a reorg that is followed without delivering everything again. */
const KEPT_HASHES = 32
const RETRY_MS = { first: 500, most: 30_000 }

export class ChainFeed {
  readonly #parts: ChainFeedParts
  readonly #tell: TellRange
  #told: Told[] = []
  #head = -1
  #running: Promise<void> | undefined
  #isStopped = false
  readonly #stopped = Promise.withResolvers<void>()

  constructor(parts: ChainFeedParts, tell: TellRange) {
    this.#parts = parts
    this.#tell = tell
  }

  async start(): Promise<void> {
    const head = Number(await this.#parts.request('eth_blockNumber', []))
    this.#told = this.#load() ?? [{ number: (this.#parts.feed.fromBlock ?? head + 1) - 1, hash: '' }]
    this.headMoved(head)
  }

  headMoved(number: number): void {
    this.#head = number
    if (this.#told.length > 0) this.#running ??= this.#run()
  }

  stop(): void {
    this.#isStopped = true
    this.#stopped.resolve()
  }

  async #run(): Promise<void> {
    let pauseMs = RETRY_MS.first
    while (!this.#isStopped) {
      try {
        if (!(await this.#advance())) break
        pauseMs = RETRY_MS.first
      } catch (err) {
        this.#parts.onFailure()
        const { name: feed, log } = this.#parts
        log.warn(PLUGINS_PROBLEMS.feedFailed.message, { feed, err, pauseMs })
        const pause = Promise.withResolvers<void>()
        const timer = this.#parts.clock.after(pauseMs, pause.resolve)
        await Promise.race([pause.promise, this.#stopped.promise])
        timer.cancel()
        pauseMs = Math.min(2 * pauseMs, RETRY_MS.most)
      }
    }
    this.#running = undefined
  }

  /** Returns false when everything was delivered. */
  async #advance(): Promise<boolean> {
    const { number, hash } = this.#told.at(-1)!
    const isKnown = hash !== ''
    if (number > this.#head && !isKnown) return false
    if (isKnown && (number > this.#head || (await blockAt(this.#parts, number))?.hash !== hash)) {
      await this.#stepBack()
      return true
    }
    if (number === this.#head) return false
    for await (const told of this.#tell(number, this.#head)) {
      if (told === 'unwound') {
        await this.#stepBack()
        return true
      }
      this.#told.push(told)
      this.#told.splice(0, this.#told.length - KEPT_HASHES)
      await this.#save()
      if (this.#isStopped) return false
    }
    return true
  }

  async #stepBack(): Promise<void> {
    while (this.#told.length > 1) {
      const { number, hash } = this.#told.at(-1)!
      const block = number <= this.#head ? await blockAt(this.#parts, number) : undefined
      if (block?.hash === hash) break
      this.#told.pop()
    }
    if (this.#told.length === 1) {
      const { number } = this.#told[0]!
      const least = Math.min(number, this.#head)
      this.#told = [{ number: least, hash: (await blockAt(this.#parts, least))?.hash ?? '' }]
    }
    await this.#save()
  }

  #load(): Told[] | undefined {
    if (this.#parts.feed.cursor !== 'durable') return undefined
    const bytes = this.#parts.storage.get(CURSOR_PREFIX + this.#parts.name)
    return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString()) as Told[])
  }

  async #save(): Promise<void> {
    if (this.#parts.feed.cursor !== 'durable') return
    await this.#parts.storage.put(CURSOR_PREFIX + this.#parts.name, Buffer.from(JSON.stringify(this.#told)))
  }
}

type Ask = Pick<ChainFeedParts, 'request'>

async function blockAt({ request }: Ask, number: number): Promise<BlockEvent | undefined> {
  const block = (await request('eth_getBlockByNumber', [quantity(number), false])) as Readonly<
    Record<'hash' | 'parentHash' | 'timestamp', string>
  > & { readonly transactions: readonly string[] }
  if (block === null) return undefined
  const { hash, parentHash, timestamp, transactions } = block
  return { number, hash, parentHash, timestamp: Number(timestamp), transactions }
}

export function tellBlocks(ask: Ask, handle: (block: BlockEvent) => Promise<void>): TellRange {
  return async function* (from, to) {
    let parent: string | undefined
    for (let number = from + 1; number <= to; number++) {
      const block = await blockAt(ask, number)
      const isBroken = block === undefined || (parent !== undefined && block.parentHash !== parent)
      if (isBroken) {
        yield 'unwound'
        return
      }
      await handle(block)
      parent = block.hash
      yield { number, hash: block.hash }
    }
  }
}

/** Blocks per request. */
const STEP = { first: 16, most: 512 }
/** If there are more logs than this, the next request covers fewer blocks. */
const MANY_LOGS = 1_000

interface WireLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly transactionHash: string
  readonly logIndex: string
}

export function tellLogs(
  ask: Ask,
  { address, topics }: Pick<LogFeed<never>, 'address' | 'topics'>,
  handle: (logs: readonly LogEvent[]) => Promise<void>,
): TellRange {
  let step = STEP.first
  return async function* (from, head) {
    for (let at = from; at < head; ) {
      const to = Math.min(head, at + step)
      const last = await blockAt(ask, to)
      const filter = { fromBlock: quantity(at + 1), toBlock: quantity(to), ...(address && { address }) }
      const logs = (await ask.request('eth_getLogs', [{ ...filter, ...(topics && { topics }) }])) as WireLog[]
      const again = await blockAt(ask, to)
      if (last === undefined || again?.hash !== last.hash) {
        yield 'unwound'
        return
      }
      for (const block of byBlock(logs)) {
        await handle(block)
        const { blockNumber, blockHash } = block[0]!
        yield { number: blockNumber, hash: blockHash }
      }
      if (logs.length === 0 || Number(logs.at(-1)!.blockNumber) < to) yield { number: to, hash: last.hash }
      step = logs.length > MANY_LOGS ? Math.max(1, step >> 1) : Math.min(STEP.most, step << 1)
      at = to
    }
  }
}

function byBlock(logs: readonly WireLog[]): readonly (readonly LogEvent[])[] {
  const blocks = new Map<string, LogEvent[]>()
  for (const { address, topics, data, blockNumber, blockHash, transactionHash, logIndex } of logs) {
    const index = Number(logIndex)
    const event: LogEvent = {
      id: `${blockHash}:${index}`,
      address,
      topics,
      data,
      blockNumber: Number(blockNumber),
      blockHash,
      transactionHash,
      logIndex: index,
    }
    const known = blocks.get(blockHash)
    if (known === undefined) blocks.set(blockHash, [event])
    else known.push(event)
  }
  return [...blocks.values()]
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`
}
