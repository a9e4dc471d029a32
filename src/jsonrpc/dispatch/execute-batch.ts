import type { CallContext } from '#jsonrpc/dispatcher.ts'
import type { Clock } from '#platform/clock.ts'
import type { Batch } from './envelope.ts'
import type { CallExecutor } from './execute-call.ts'
import { unlessAborted } from './result-stream.ts'

/** Answers are collected up to this length before they are sent. */
export const CHUNK_LENGTH = 256 * 1024
/** Then other clients of this thread get their turn. */
const TURN_MS = 20

/** Yields the answers in order and returns the last chunk. Throws the signal's reason when it is aborted. */
export async function* executeBatch(
  batch: Batch,
  executor: CallExecutor,
  context: CallContext,
  clock: Clock,
): AsyncGenerator<string, string, void> {
  let collected = '['
  let separator = ''
  let turnStartMs = clock.monotonicMs()
  let wasHeldBack = false
  for (let index = 0; index < batch.size; index++) {
    const answering = executor.answer(batch.element(index), context)
    const reply = answering instanceof Promise ? await answering : answering
    // Once per message, however many of its requests are over the limit.
    if (reply?.retryAfterSeconds !== undefined && !wasHeldBack) {
      wasHeldBack = true
      await holdBack(clock, context)
    }
    context.signal.throwIfAborted()
    if (reply !== undefined) {
      collected += separator
      separator = ','
      if (typeof reply.body === 'string') {
        collected += reply.body
      } else {
        yield collected
        yield* reply.body
        collected = ''
      }
    }
    if (collected.length >= CHUNK_LENGTH) {
      yield collected
      collected = ''
    }
    if (clock.monotonicMs() - turnStartMs >= TURN_MS) {
      await new Promise<void>((resolve) => clock.after(0, resolve))
      turnStartMs = clock.monotonicMs()
    }
  }
  return `${collected}]`
}

/** Long compared with a client's round trip, and nothing for a client that waits as told. */
const HOLD_MS = 250

/** Delays the answer to a caller over its limits, which could otherwise keep the thread busy with refusals. */
export async function holdBack(clock: Clock, { signal }: Pick<CallContext, 'signal'>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(HOLD_MS, resolve, { unref: true })
  await unlessAborted(promise, signal).catch(() => undefined)
  timer.cancel()
}
