import type { AnnouncedHead } from '#chain/read/open-chain-reader.ts'
import type { Channel } from '#platform/channel/channel-protocol.ts'
import { connectPort, type LinePort } from '#platform/channel/port-pair.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Fault } from '#types/fault.ts'
import { CancelCell } from './cancel-cell.ts'
import type { EngineOffers } from './engine-protocol.ts'
import type { EngineCall, RemoteEngine } from './remote-engine.ts'

/** Sent to one engine and not answered yet: enough that it never waits for us, few enough that others can help. */
const RUNNING_MAX = 4
/** Requests that wait for an engine; more are refused at once. */
const WAITING_MAX = 1_024
/** The signal of the call ends it long before; only so that nothing is for ever. */
const DEADLINE_MS = 3_600_000

interface EngineLine {
  readonly channel: Channel<Record<never, never>, EngineOffers>
  running: number
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
  readonly waitingMax?: number
}

/** The engine threads of one server. Each request goes to the one that has least of ours to do. */
export class EnginePool implements RemoteEngine {
  readonly #options: EnginePoolOptions
  readonly #lines = new Set<EngineLine>()
  /** In order: a Map, since a request that is given up leaves from anywhere. */
  readonly #waiting = new Map<symbol, (line: EngineLine) => void>()

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
    const line: EngineLine = { channel, running: 0, idleCells, headSequence: -1 }
    this.#lines.add(line)
    void channel.closed.then(() => this.#lines.delete(line))
    this.#serveWaiting()
  }

  async execute(
    method: string,
    params: readonly unknown[],
    { signal }: EngineCall,
    resolved?: unknown,
  ): Promise<string | AsyncIterable<string>> {
    const line = await this.#take(signal)
    const { number, memory } = line.idleCells.pop()!
    const cell = new CancelCell(signal, memory)
    const options = { signal, deadlineMs: DEADLINE_MS }
    /** Shared memory is dear to make and to send: what the engine looks at no more is used again. */
    let reusable: Int32Array | undefined
    try {
      const cancel = memory === undefined ? cell.memory : undefined
      const head = this.#options.head()
      const isNews = head.sequence > line.headSequence
      const request = { method, params, cell: number, cancel, head: isNews ? head : undefined, resolved }
      const answer = await line.channel.request('execute', request, options)
      if (isNews) line.headSequence = Math.max(line.headSequence, head.sequence)
      if (answer.kind === 'stream') return cell.releaseAfter(readChunks(line, answer.id, options))
      cell.release()
      if (!cell.isSet) reusable = cell.memory
      return answer.text
    } catch (error) {
      cell.release()
      throw explain(error)
    } finally {
      line.idleCells.push({ number, memory: reusable })
      line.running--
      this.#serveWaiting()
    }
  }

  async #take(signal: AbortSignal): Promise<EngineLine> {
    signal.throwIfAborted()
    const free = this.#free()
    if (free !== undefined) {
      free.running++
      return free
    }
    const { waitingMax = WAITING_MAX } = this.#options
    if (this.#waiting.size >= waitingMax) {
      throw rpcFault('LIMIT_EXCEEDED', { reason: 'too many requests wait for an engine; try again later' })
    }
    const { promise, resolve, reject } = Promise.withResolvers<EngineLine>()
    const place = Symbol('place in the queue')
    const onAbort = (): void => {
      this.#waiting.delete(place)
      reject(signal.reason)
    }
    this.#waiting.set(place, resolve)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #serveWaiting(): void {
    for (const [place, resolve] of this.#waiting) {
      const free = this.#free()
      if (free === undefined) return
      this.#waiting.delete(place)
      free.running++
      resolve(free)
    }
  }

  #free(): EngineLine | undefined {
    let best: EngineLine | undefined
    for (const line of this.#lines) {
      if (line.running < RUNNING_MAX && (best === undefined || line.running < best.running)) best = line
    }
    return best
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
  if (!(error instanceof Fault) || error.kind !== 'CHANNEL_CLOSED') return error
  return rpcFault('INTERNAL_ERROR', {
    reason: 'the engine thread ended while it worked on this request; ask for less, or try again',
  })
}
