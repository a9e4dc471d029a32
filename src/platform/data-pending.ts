/**
 * Synchronous reads of data that may be on another machine. The read starts to fetch and throws `DataPending`; a caller that
 * can wait does so and reads again. No thread blocks, and callers that must not wait never meet remote data.
 */
import { type MaybePromise, settle } from '#types/maybe-promise.ts'

/** Each wait fetches something, so a request that waits more often reads too much at once. */
export const MAX_WAITS = 10_000

export class DataPending extends Error {
  override readonly name = 'DataPending'
  /** Rejects with the fault for the caller. */
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    super('Data is being fetched.')
    this.ready = ready
    // A caller that does not wait is not interested in the failure.
    ready.catch(() => undefined)
  }
}

interface Waiting {
  readonly signal?: AbortSignal | undefined
}

/**
 * Repeats `work`, which must only read, until all its data is there. A result that arrives in pieces is requested again
 * only before its first piece. The signal is looked at only after a wait.
 */
export function whenFetched<Value>(work: () => MaybePromise<Value>, context?: Waiting): MaybePromise<Value> {
  let waits = 0
  const attempt = (): MaybePromise<Value> =>
    settle(
      work,
      (value) => (isStream(value) ? (restarted(value, work, context) as Value) : value),
      (error) => {
        if (!(error instanceof DataPending) || waits++ >= MAX_WAITS) throw error
        return error.ready.then(() => {
          context?.signal?.throwIfAborted()
          return attempt()
        })
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
  context: Waiting | undefined,
): AsyncGenerator<unknown, void, undefined> {
  let start = (): unknown => first
  for (let waits = 0; ; waits++) {
    let hasBegun = false
    try {
      // The method itself may need data again before it returns its stream.
      for await (const piece of (await start()) as AsyncIterable<unknown>) {
        hasBegun = true
        yield piece
      }
      return
    } catch (error) {
      if (!(error instanceof DataPending) || hasBegun || waits >= MAX_WAITS) throw error
      await error.ready
      context?.signal?.throwIfAborted()
      start = work
    }
  }
}
