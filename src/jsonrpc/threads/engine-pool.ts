import { CancelCell } from '#jsonrpc/dispatch/cancel-cell.ts'
import type { EngineCall, RemoteEngine } from '#jsonrpc/dispatch/remote-engine.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { CallerLimits } from '#jsonrpc/limits/call-limits.ts'
import { callerKey } from '#jsonrpc/limits/caller-key.ts'
import { FairQueue } from '#jsonrpc/limits/fair-queue.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import type { Channel } from '#platform/channel/channel-protocol.ts'
import { connectPort, type LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import { DataPending, whenFetched } from '#platform/data-pending.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { Fault } from '#types/fault.ts'
import type { EngineOffers, Fetching, NumberedHead } from './engine-protocol.ts'

/** Requests sent to one engine and not answered: enough to keep it busy, few enough to share the rest. */
const RUNNING_MAX = 4
/** Requests that wait for an engine; further ones are refused. */
const WAITING_MAX = 1_024
/** Waiting requests per caller, if callers have limits. */
const WAITING_MAX_OF_ONE = 128
/** Requests of one caller on the only engine; with several engines a caller leaves one to the others. */
const RUNNING_MAX_OF_ONE = 2
/** A last resort: the signal of the call ends it long before. */
const DEADLINE_MS = 3_600_000

type EngineChannel<Head = NumberedHead> = Channel<Record<never, never>, EngineOffers<Head>>

interface EngineLine<Head> {
  readonly channel: EngineChannel<Head>
  running: number
  /** Running requests per caller, if callers have limits. */
  readonly runningOf: Map<string, number>
  /** RUNNING_MAX in total. */
  readonly idleCells: IdleCell[]
  /** The latest head that was sent on this line. */
  headSequence: number
}

interface IdleCell {
  readonly number: number
  /** Undefined until it was sent to the engine. */
  readonly memory: Int32Array | undefined
}

export interface EnginePoolOptions<Head> {
  readonly clock: Clock
  readonly log: Log
  /** The head that this server answers from. */
  readonly head: () => Head
  /** Called when a request waits and there is no engine thread; resolves when they have started. */
  readonly startEngines: () => Promise<void>
  readonly waitingMax?: number
  readonly callLimits?: CallerLimits | undefined
}

/** The engine threads of one server. Each request goes to the thread with the fewest requests of this server. */
export class EnginePool<Head extends NumberedHead> implements RemoteEngine {
  readonly #options: EnginePoolOptions<Head>
  readonly #lines = new Set<EngineLine<Head>>()
  readonly #waiting = new FairQueue<(line: EngineLine<Head>) => void>()
  #starting: Promise<void> | undefined

  constructor(options: EnginePoolOptions<Head>) {
    this.#options = options
  }

  connect(name: string, port: LinePort): void {
    const { clock, log } = this.#options
    const channel: EngineLine<Head>['channel'] = connectPort(
      port,
      {},
      {
        clock,
        peer: `thread ${name}`,
        onError: (err) => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'engine', err }),
      },
    )
    const idleCells = Array.from({ length: RUNNING_MAX }, (_, number) => ({ number, memory: undefined }))
    const line: EngineLine<Head> = { channel, running: 0, runningOf: new Map(), idleCells, headSequence: -1 }
    this.#lines.add(line)
    void channel.closed.then(() => this.#lines.delete(line))
    this.#serveWaiting()
  }

  headSequence(): number {
    return this.#options.head().sequence
  }

  /** A request whose data is being fetched leaves its engine meanwhile, because an archive may hang. */
  async execute(
    method: string,
    params: readonly unknown[],
    call: EngineCall,
    resolved?: unknown,
  ): Promise<string | AsyncIterable<string>> {
    return await whenFetched(() => this.#attempt(method, params, call, resolved), call)
  }

  async #attempt(
    method: string,
    params: readonly unknown[],
    call: EngineCall,
    resolved: unknown,
  ): Promise<string | AsyncIterable<string>> {
    const { signal } = call
    const owner = callerKey(call)
    const line = await this.#take(owner, signal)
    const { number, memory } = line.idleCells.pop()!
    const cell = new CancelCell(signal, memory)
    const options = { signal, deadlineMs: DEADLINE_MS }
    /** Shared memory is costly to allocate and send, so cells are reused. */
    let reusable: Int32Array | undefined
    const { callLimits, clock } = this.#options
    const sentMs = callLimits === undefined ? 0 : clock.monotonicMs()
    try {
      const bucket = callLimits?.admitToEngine(call)
      const cancel = memory === undefined ? cell.memory : undefined
      const head = this.#options.head()
      const isEvent = head.sequence > line.headSequence
      const request = {
        method,
        params,
        cell: number,
        cancel,
        head: isEvent ? head : undefined,
        resolved,
        bucket,
      }
      const answer = await line.channel.request('execute', request, options)
      if (isEvent) line.headSequence = Math.max(line.headSequence, head.sequence)
      if (answer.kind === 'stream') return cell.releaseAfter(readChunks(line.channel, answer.id, options))
      cell.release()
      if (!cell.isSet) reusable = cell.memory
      if (answer.kind === 'fetching') throw pendingOn(line.channel, answer, options)
      return answer.text
    } catch (error) {
      cell.release()
      // An engine thread charges its own time, unless it died.
      if (hasEnded(error)) callLimits?.chargeEngine(call, clock.monotonicMs() - sentMs)
      throw explain(error)
    } finally {
      line.idleCells.push({ number, memory: reusable })
      this.#leave(line, owner)
      this.#serveWaiting()
    }
  }

  async #take(owner: string, signal: AbortSignal): Promise<EngineLine<Head>> {
    signal.throwIfAborted()
    const free = this.#freeFor(owner)
    if (free !== undefined) return this.#enter(free, owner)
    if (this.#lines.size === 0) this.#startEngines()
    const { waitingMax = WAITING_MAX, callLimits } = this.#options
    const isCrowded = callLimits !== undefined && this.#waiting.sizeOf(owner) >= WAITING_MAX_OF_ONE
    if (this.#waiting.size >= waitingMax || isCrowded) {
      throw rpcFault('LIMIT_EXCEEDED', { reason: 'too many requests wait for an engine; try again later' })
    }
    const { promise, resolve, reject } = Promise.withResolvers<EngineLine<Head>>()
    const leave = this.#waiting.push(owner, resolve)
    const onAbort = (): void => {
      leave()
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** If it fails, waiting requests time out, and the next request tries again. */
  #startEngines(): void {
    const { startEngines, log } = this.#options
    this.#starting ??= startEngines()
      .catch((err) => log.error(JSONRPC_PROBLEMS.enginesNotStarted, { err }))
      .finally(() => {
        this.#starting = undefined
      })
  }

  #serveWaiting(): void {
    // Each time for the caller whose turn it is, if there is room for it.
    for (;;) {
      let found: EngineLine<Head> | undefined
      const next = this.#waiting.take((owner) => {
        found = this.#freeFor(owner)
        return found !== undefined
      })
      if (next === undefined) return
      next.item(this.#enter(found!, next.owner))
    }
  }

  #enter(line: EngineLine<Head>, owner: string): EngineLine<Head> {
    line.running++
    if (this.#options.callLimits !== undefined)
      line.runningOf.set(owner, (line.runningOf.get(owner) ?? 0) + 1)
    return line
  }

  #leave(line: EngineLine<Head>, owner: string): void {
    line.running--
    if (this.#options.callLimits === undefined) return
    const left = line.runningOf.get(owner)! - 1
    if (left > 0) line.runningOf.set(owner, left)
    else line.runningOf.delete(owner)
  }

  #freeFor(owner: string): EngineLine<Head> | undefined {
    const mayUse = this.#options.callLimits === undefined ? () => true : this.#shareOf(owner)
    let best: EngineLine<Head> | undefined
    for (const line of this.#lines) {
      const hasRoom = line.running < RUNNING_MAX && mayUse(line)
      if (hasRoom && (best === undefined || line.running < best.running)) best = line
    }
    return best
  }

  /** The lines on which a caller may have another request, so that others are served too. */
  #shareOf(owner: string): (line: EngineLine<Head>) => boolean {
    const lines = [...this.#lines]
    if (lines.length === 1) return ({ runningOf }) => (runningOf.get(owner) ?? 0) < RUNNING_MAX_OF_ONE
    const used = lines.filter(({ runningOf }) => runningOf.has(owner)).length
    return ({ runningOf }) => runningOf.has(owner) || used < lines.length - 1
  }
}

interface LineOptions {
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

async function* readChunks(
  channel: EngineChannel,
  id: number,
  options: LineOptions,
): AsyncGenerator<string, void, void> {
  try {
    for await (const chunk of channel.stream('chunks', { id }, options)) {
      if (typeof chunk !== 'string') throw pendingOn(channel, chunk, options)
      yield chunk
    }
  } catch (error) {
    throw explain(error)
  }
}

function pendingOn(channel: EngineChannel, { id, part }: Fetching, options: LineOptions): DataPending {
  const ready = channel.request('fetched', { id }, options).catch((error: unknown) => {
    throw explain(error)
  })
  return new DataPending(part, ready)
}

/** A line closes when its thread ends: because of a bug, or because it used too much memory. */
function explain(error: unknown): unknown {
  if (!hasEnded(error)) return error
  return rpcFault('INTERNAL_ERROR', {
    reason: 'the engine thread ended while it worked on this request; ask for less, or try again',
  })
}

function hasEnded(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'CHANNEL_CLOSED'
}
