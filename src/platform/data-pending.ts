/**
 * Synchronous reads of data that may be on another machine. The read starts to fetch and throws `DataPending`; a caller that
 * can wait does so and reads again. No thread blocks, and callers that must not wait never meet remote data.
 */
import { type MaybePromise, settle } from '#types/maybe-promise.ts'
import { platformFault } from './faults.ts'

/** Waits of one request. Each fetches something, so a request that waits more often reads too much at once. */
const MAX_WAITS = 10_000
/**
 * Bytes that a request may fetch again in addition to those that it fetches for the first time: other requests evict its
 * data too, and threads do not share all of it.
 */
const SPARE_BYTES = 32 * 1024 * 1024
/** A smaller part counts as this many bytes, because a fetch costs at least as much. */
const MIN_PART_BYTES = 64 * 1024

/** What is being fetched. */
export interface PendingPart {
  /** The same for a part that is fetched again. */
  readonly name: string
  readonly bytes: number
}

export class DataPending extends Error {
  override readonly name = 'DataPending'
  readonly part: PendingPart
  /** Rejects with the fault for the caller. */
  readonly ready: Promise<unknown>

  constructor(part: PendingPart, ready: Promise<unknown>) {
    super('Data is being fetched.')
    this.part = part
    this.ready = ready
    // A caller that does not wait is not interested in the failure.
    ready.catch(() => undefined)
  }
}

interface Waiting {
  readonly signal?: AbortSignal | undefined
}

/** The waits of one request, which ends if its own data evicts each other: repeating it would never finish. */
class Waits {
  readonly #signal: AbortSignal | undefined
  readonly #names = new Set<string>()
  #count = 0
  #spareBytes = SPARE_BYTES

  constructor({ signal }: Waiting) {
    this.#signal = signal
  }

  /** Resolves when the work may be repeated. */
  async until({ part, ready }: DataPending): Promise<void> {
    const bytes = Math.max(part.bytes, MIN_PART_BYTES)
    this.#spareBytes += this.#names.has(part.name) ? -bytes : bytes
    this.#names.add(part.name)
    if (++this.#count > MAX_WAITS || this.#spareBytes < 0) throw readsTooMuch()
    await ready
    this.#signal?.throwIfAborted()
  }
}

function readsTooMuch() {
  const forClients =
    'the request reads more archived blocks than the node keeps at once; ask for fewer, or raise --history-cache-bytes'
  return platformFault('READS_TOO_MUCH', { sentence: `Request ended: ${forClients}.`, forClients })
}

/**
 * Repeats `work`, which must only read, until all its data is there. A result that arrives in pieces is requested again
 * only before its first piece. The signal is looked at only after a wait.
 */
export function whenFetched<Value>(
  work: () => MaybePromise<Value>,
  context: Waiting = {},
): MaybePromise<Value> {
  // Most requests wait for nothing.
  let made: Waits | undefined
  const waits = (): Waits => (made ??= new Waits(context))
  const attempt = (): MaybePromise<Value> =>
    settle(
      work,
      (value) => (isStream(value) ? (restarted(value, work, waits()) as Value) : value),
      (error) => {
        if (!(error instanceof DataPending)) throw error
        return waits().until(error).then(attempt)
      },
    )
  return attempt()
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function* restarted(
  first: AsyncIterable<unknown>,
  work: () => unknown,
  waits: Waits,
): AsyncGenerator<unknown, void, undefined> {
  let start = (): unknown => first
  for (;;) {
    let hasBegun = false
    try {
      // The method itself may need data again before it returns its stream.
      for await (const piece of (await start()) as AsyncIterable<unknown>) {
        hasBegun = true
        yield piece
      }
      return
    } catch (error) {
      if (!(error instanceof DataPending) || hasBegun) throw error
      await waits.until(error)
      start = work
    }
  }
}
