/**
 * The text of a transaction traced instruction by instruction. Engines emit events while they run and cannot wait, so
 * the events are kept, compact and compressed; the text, which is many times as long, is made as fast as it is read.
 */
import type { EngineSession, EngineTransaction, RunResult } from '#evm/engine.ts'
import { TraceEventQueue } from '#evm/trace/event-queue.ts'
import { TraceEventReader } from '#evm/trace/event-reader.ts'
import type { TraceWants } from '#evm/trace/events.ts'
import { TextBuffer } from '#evm/trace/text-buffer.ts'
import type { TraceVisitor } from '#evm/trace/trace-visitor.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export interface TracedRun {
  /** A session with call trees. */
  readonly session: EngineSession
  readonly transaction: EngineTransaction
  /** Maximum bytes of events. */
  readonly maxBytes: number
  readonly cancel: Int32Array | undefined
}

const CHUNK_CHARACTERS = 64 * 1024

export interface KeptRun {
  readonly result: RunResult
  readonly events: TraceEventQueue
}

/** The session continues after it. */
export async function runKept(
  { session, transaction, maxBytes }: TracedRun,
  wants: TraceWants,
): Promise<KeptRun> {
  const events = new TraceEventQueue(maxBytes, () => {
    throw rpcFault('LIMIT_EXCEEDED', { reason: 'the trace is too long' })
  })
  const result = await session.run([transaction], { wants, onEvents: (chunk) => events.add(chunk) })
  return { result, events }
}

/** Reused, because a buffer per transaction costs more than its text. */
let spare: TextBuffer | undefined

/** Made as it is read. */
export async function* keptText(
  { events }: KeptRun,
  { cancel }: Pick<TracedRun, 'cancel'>,
  visitorOf: (out: TextBuffer) => TraceVisitor,
): AsyncGenerator<string, void, undefined> {
  const text = spare ?? new TextBuffer()
  spare = undefined
  const reader = new TraceEventReader(visitorOf(text))
  const isEnough = (): boolean => text.length >= CHUNK_CHARACTERS
  for (const chunk of events.take()) {
    reader.open(chunk)
    for (let isMore = true; isMore; ) {
      isMore = reader.readUntil(isEnough)
      if (!isEnough()) continue
      yield text.take()
      if (cancel !== undefined && Atomics.load(cancel, 0) !== 0) throw rpcFault('TIMEOUT_ERROR')
    }
  }
  const last = text.take()
  spare = text
  yield last
}

/** Joins pieces until they are worth sending. */
export async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield text
}
