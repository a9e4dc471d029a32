/** A long result on its way: JSON text in chunks, between what an answer has before and behind it. */
export interface ResultStream {
  readonly start: string
  readonly chunks: AsyncIterable<string>
  readonly end: string
  readonly signal: AbortSignal
  /** Told when the result breaks off after its first chunk; the server then breaks the connection off too. */
  readonly onFailure: (thrown: unknown) => void
}

export function isStream(result: unknown): result is AsyncIterable<string> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

/** Waits for the first chunk, so that what fails before it can still be answered with an error. */
export async function openStream(stream: ResultStream): Promise<AsyncGenerator<string, void, void>> {
  const { signal } = stream
  const iterator = stream.chunks[Symbol.asyncIterator]()
  // Not awaited: it may wait for a chunk that never comes. Harmless when the iterator has ended.
  const close = (): void => void iterator.return?.().catch(() => undefined)
  signal.addEventListener('abort', close, { once: true })
  let first: IteratorResult<string>
  try {
    first = await unlessAborted(iterator.next(), signal)
  } catch (thrown) {
    signal.removeEventListener('abort', close)
    throw thrown
  }
  return send()

  async function* send(): AsyncGenerator<string, void, void> {
    try {
      yield stream.start
      for (let next = first; !next.done; next = await unlessAborted(iterator.next(), signal)) yield next.value
      yield stream.end
    } catch (thrown) {
      stream.onFailure(thrown)
      throw thrown
    } finally {
      signal.removeEventListener('abort', close)
      close()
    }
  }
}

/** The outcome of the work, or the reason of the signal if that comes first: work may not look at it. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
