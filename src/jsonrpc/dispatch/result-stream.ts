/** A long result: JSON text in chunks, between the start and the end of the answer. */
export interface ResultStream {
  readonly start: string
  readonly chunks: AsyncIterable<string>
  readonly end: string
  readonly signal: AbortSignal
  /** Called if the result fails after its first chunk; the server then closes the connection. */
  readonly onFailure: (thrown: unknown) => void
}

/** Waits for the first chunk, so that an earlier failure can still be answered with an error. */
export async function openStream(stream: ResultStream): Promise<AsyncGenerator<string, void, void>> {
  const { signal } = stream
  const iterator = stream.chunks[Symbol.asyncIterator]()
  // Not awaited: it may wait for a chunk that never comes. Harmless if the iterator has ended.
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

/** Resolves like `work`, or rejects with the signal's reason if that comes first. */
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
