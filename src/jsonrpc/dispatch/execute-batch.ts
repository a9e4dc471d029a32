import type { CallContext } from '#jsonrpc/dispatcher.ts'
import type { Clock } from '#platform/clock.ts'
import type { Reply } from './call.ts'
import type { Batch } from './envelope.ts'
import type { CallExecutor } from './execute-call.ts'
import { unlessAborted } from './result-stream.ts'

/** Answers are collected up to this length before they are sent. */
export const CHUNK_LENGTH = 256 * 1024
/** Then other clients of this thread get their turn. */
const TURN_MS = 20

/** The answers to the first requests of a batch. */
export interface BatchStart {
  readonly text: string
  /** The index of the next request. */
  readonly next: number
  /** The answer to the next request, if it was asked already and has to be waited for. */
  readonly pending: Reply | Promise<Reply> | undefined
  readonly isComplete: boolean
  readonly turnStartMs: number
}

/** Answers the requests of a batch in order until one has to wait, the chunk is full or the turn is over. */
export function beginBatch(
  batch: Batch,
  executor: CallExecutor,
  context: CallContext,
  clock: Clock,
): BatchStart {
  const turnStartMs = clock.monotonicMs()
  let text = '['
  for (let index = 0; index < batch.size; index++) {
    const reply = executor.answer(batch.element(index), context)
    if (reply instanceof Promise || (reply !== undefined && !isReady(reply)))
      return { text, next: index, pending: reply, isComplete: false, turnStartMs }
    if (reply !== undefined) text += text.length === 1 ? reply.body : `,${reply.body}`
    const isOver = text.length >= CHUNK_LENGTH || clock.monotonicMs() - turnStartMs >= TURN_MS
    if (isOver || context.signal.aborted)
      return { text, next: index + 1, pending: undefined, isComplete: false, turnStartMs }
  }
  return { text: `${text}]`, next: batch.size, pending: undefined, isComplete: true, turnStartMs }
}

function isReady({ body, retryAfterSeconds }: Reply): boolean {
  return typeof body === 'string' && retryAfterSeconds === undefined
}

/** Yields the answers in order and returns the last chunk. Throws the signal's reason when it is aborted. */
export async function* continueBatch(
  start: BatchStart,
  batch: Batch,
  executor: CallExecutor,
  context: CallContext,
  clock: Clock,
): AsyncGenerator<string, string, void> {
  let collected = start.text
  let separator = collected.length === 1 ? '' : ','
  let wasHeldBack = false
  let { pending, turnStartMs } = start
  for (let index = start.next; ; index++) {
    context.signal.throwIfAborted()
    if (index === batch.size) return `${collected}]`
    if (collected.length >= CHUNK_LENGTH) {
      yield collected
      collected = ''
    }
    if (pending === undefined && clock.monotonicMs() - turnStartMs >= TURN_MS) {
      await new Promise<void>((resolve) => clock.after(0, resolve))
      turnStartMs = clock.monotonicMs()
      context.signal.throwIfAborted()
    }
    const reply = await (pending ?? executor.answer(batch.element(index), context))
    pending = undefined
    // Once per message, however many of its requests are over the limit.
    if (reply?.retryAfterSeconds !== undefined && !wasHeldBack) {
      wasHeldBack = true
      await holdBack(clock, context)
    }
    if (reply === undefined) continue
    context.signal.throwIfAborted()
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
