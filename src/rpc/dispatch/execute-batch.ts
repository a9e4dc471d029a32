import type { Clock } from '#platform/clock.ts'
import type { CallExecutor } from './call/execute-call.ts'
import type { CallContext } from './dispatcher.ts'
import type { Batch } from './envelope.ts'
import { holdBack } from './hold-back.ts'

/** Answers are collected up to this many characters before they are sent. */
export const CHUNK_LENGTH = 256 * 1024
/** After so long the other clients of this thread get their turn. */
const TURN_MS = 20

/**
 * The answer to a batch, element by element in order; what is returned is the last chunk. Throws the reason of
 * the signal when that is aborted.
 */
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
    const reply = await executor.answer(batch.element(index), context)
    // Once for each message, however many of its requests are too many.
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
