import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { Channel } from '#platform/channel/channel-protocol.ts'
import { connectPort, type LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { CancelCell } from '#rpc/dispatch/call/cancel-cell.ts'
import type { EngineCall, RemoteEngine } from '#rpc/dispatch/call/remote-engine.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { CallerLimits } from '#rpc/limits/call-limits.ts'
import { callerKey } from '#rpc/limits/caller-key.ts'
import { Fault } from '#types/fault.ts'
import type { EngineOffers } from './engine-protocol.ts'
import { FairQueue } from './fair-queue.ts'

/** Sent to one engine and not answered yet: enough that it never waits for us, few enough that others can help. */
const RUNNING_MAX = 4
/** Requests that wait for an engine; more are refused at once. */
const WAITING_MAX = 1_024
/** Of those, requests of one caller where callers have limits: others must find room. */
const WAITING_MAX_OF_ONE = 128
/**
 * Sent to the only engine by one caller, where callers have limits: one that runs, and one so that the engine does not wait.
 * Of several engines one caller leaves one to the others.
 */
const RUNNING_MAX_OF_ONE = 2
/** The signal of the call ends it long before; only so that nothing is for ever. */
const DEADLINE_MS = 3_600_000

interface EngineLine {
  readonly channel: Channel<Record<never, never>, EngineOffers>
  running: number
  /** Of each caller that has any; only where callers have limits. */
  readonly runningOf: Map<string, number>
  /** RUNNING_MAX of them. */
  readonly idleCells: IdleCell[]
  /** Of the last head that it has certainly heard of on this line. */
  headSequence: number
}

interface IdleCell {
  readonly number: number
  /** What the engine knows it by. */
  readonly memory: Int32Array | undefined
}

export interface EnginePoolOptions {
  readonly clock: Clock
  readonly log: Log
  /** The head that this server answers from. */
  readonly head: () => AnnouncedHead
  /** A request waits where there is no engine thread; resolves when they were started. */
  readonly startEngines: () => Promise<void>
  readonly waitingMax?: number
  /** What callers may use; undefined: as much as they want. */
  readonly callLimits?: CallerLimits | undefined
}

/** The engine threads of one server. Each request goes to the one that has least of ours to do. */
export class EnginePool implements RemoteEngine {
  readonly #options: EnginePoolOptions
  readonly #lines = new Set<EngineLine>()
  readonly #waiting = new FairQueue<(line: EngineLine) => void>()
  #starting: Promise<void> | undefined

  constructor(options: EnginePoolOptions) {
    this.#options = options
  }

  connect(name: string, port: LinePort): void {
    const { clock, log } = this.#options
    const channel: EngineLine['channel'] = connectPort(
      port,
      {},
      {
        clock,
        peer: `thread ${name}`,
        onError: (err) => log.error('The channel to an engine thread failed.', { err }),
      },
    )
    const idleCells = Array.from({ length: RUNNING_MAX }, (_, number) => ({ number, memory: undefined }))
    const line: EngineLine = { channel, running: 0, runningOf: new Map(), idleCells, headSequence: -1 }
    this.#lines.add(line)
    void channel.closed.then(() => this.#lines.delete(line))
    this.#serveWaiting()
  }

  async execute(
    method: string,
    params: readonly unknown[],
    call: EngineCall,
    resolved?: unknown,
  ): Promise<string | AsyncIterable<string>> {
    const { signal } = call
    const owner = callerKey(call)
    const line = await this.#take(owner, signal)
    const { number, memory } = line.idleCells.pop()!
    const cell = new CancelCell(signal, memory)
    const options = { signal, deadlineMs: DEADLINE_MS }
    /** Shared memory is dear to make and to send: what the engine looks at no more is used again. */
    let reusable: Int32Array | undefined
    const { callLimits, clock } = this.#options
    const sentMs = callLimits === undefined ? 0 : clock.monotonicMs()
    try {
      const account = callLimits?.admitToEngine(call)
      const cancel = memory === undefined ? cell.memory : undefined
      const head = this.#options.head()
      const isNews = head.sequence > line.headSequence
      const request = {
        method,
        params,
        cell: number,
        cancel,
        head: isNews ? head : undefined,
        resolved,
        account,
      }
      const answer = await line.channel.request('execute', request, options)
      if (isNews) line.headSequence = Math.max(line.headSequence, head.sequence)
      if (answer.kind === 'stream') return cell.releaseAfter(readChunks(line, answer.id, options))
      cell.release()
      if (!cell.isSet) reusable = cell.memory
      return answer.text
    } catch (error) {
      cell.release()
      // An engine thread charges what it did, unless it ended by it.
      if (hasEnded(error)) callLimits?.chargeEngine(call, clock.monotonicMs() - sentMs)
      throw explain(error)
    } finally {
      line.idleCells.push({ number, memory: reusable })
      this.#leave(line, owner)
      this.#serveWaiting()
    }
  }

  async #take(owner: string, signal: AbortSignal): Promise<EngineLine> {
    signal.throwIfAborted()
    const free = this.#freeFor(owner)
    if (free !== undefined) return this.#enter(free, owner)
    if (this.#lines.size === 0) this.#startEngines()
    const { waitingMax = WAITING_MAX, callLimits } = this.#options
    const isCrowded = callLimits !== undefined && this.#waiting.sizeOf(owner) >= WAITING_MAX_OF_ONE
    if (this.#waiting.size >= waitingMax || isCrowded) {
      throw rpcFault('LIMIT_EXCEEDED', { reason: 'too many requests wait for an engine; try again later' })
    }
    const { promise, resolve, reject } = Promise.withResolvers<EngineLine>()
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

  /** Where it fails, those who wait do so until their time is up, and the next to come asks again. */
  #startEngines(): void {
    const { startEngines, log } = this.#options
    this.#starting ??= startEngines()
      .catch((err) => log.error('Engine threads do not start.', { err }))
      .finally(() => {
        this.#starting = undefined
      })
  }

  #serveWaiting(): void {
    // Each time the caller whose turn it is, of those for whom there is room.
    for (;;) {
      let found: EngineLine | undefined
      const next = this.#waiting.take((owner) => {
        found = this.#freeFor(owner)
        return found !== undefined
      })
      if (next === undefined) return
      next.item(this.#enter(found!, next.owner))
    }
  }

  #enter(line: EngineLine, owner: string): EngineLine {
    line.running++
    if (this.#options.callLimits !== undefined)
      line.runningOf.set(owner, (line.runningOf.get(owner) ?? 0) + 1)
    return line
  }

  #leave(line: EngineLine, owner: string): void {
    line.running--
    if (this.#options.callLimits === undefined) return
    const left = line.runningOf.get(owner)! - 1
    if (left > 0) line.runningOf.set(owner, left)
    else line.runningOf.delete(owner)
  }

  #freeFor(owner: string): EngineLine | undefined {
    const mayUse = this.#options.callLimits === undefined ? () => true : this.#shareOf(owner)
    let best: EngineLine | undefined
    for (const line of this.#lines) {
      const hasRoom = line.running < RUNNING_MAX && mayUse(line)
      if (hasRoom && (best === undefined || line.running < best.running)) best = line
    }
    return best
  }

  /** Which lines a caller may have one more request on, so that others are served beside it. */
  #shareOf(owner: string): (line: EngineLine) => boolean {
    const lines = [...this.#lines]
    if (lines.length === 1) return ({ runningOf }) => (runningOf.get(owner) ?? 0) < RUNNING_MAX_OF_ONE
    const used = lines.filter(({ runningOf }) => runningOf.has(owner)).length
    return ({ runningOf }) => runningOf.has(owner) || used < lines.length - 1
  }
}

async function* readChunks(
  { channel }: EngineLine,
  id: number,
  options: { readonly signal: AbortSignal; readonly deadlineMs: number },
): AsyncGenerator<string, void, void> {
  try {
    yield* channel.stream('chunks', { id }, options)
  } catch (error) {
    throw explain(error)
  }
}

/** The line closes when the thread at its end does: by a mistake of ours, or because it used too much memory. */
function explain(error: unknown): unknown {
  if (!hasEnded(error)) return error
  return rpcFault('INTERNAL_ERROR', {
    reason: 'the engine thread ended while it worked on this request; ask for less, or try again',
  })
}

function hasEnded(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'CHANNEL_CLOSED'
}
