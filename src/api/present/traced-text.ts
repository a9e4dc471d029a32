/**
 * The text of a transaction traced instruction by instruction. Engines emit records while they run and cannot wait, so
 * the records are kept, compact and compressed; the text, which is many times as long, is made as fast as it is read.
 */
import type { EngineSession, EngineTransaction, RunResult } from '#evm/engine.ts'
import { RecordQueue } from '#evm/trace/record-queue.ts'
import { RecordReader } from '#evm/trace/record-reader.ts'
import type { TraceVisitor } from '#evm/trace/record-visitor.ts'
import type { TraceWants } from '#evm/trace/records.ts'
import { TextBuffer } from '#evm/trace/text-buffer.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export interface TracedRun {
  /** A session with call trees. */
  readonly session: EngineSession
  readonly transaction: EngineTransaction
  /** Maximum bytes of records. */
  readonly maxBytes: number
  readonly cancel: Int32Array | undefined
}

const CHUNK_CHARACTERS = 64 * 1024

export interface KeptRun {
  readonly result: RunResult
  readonly records: RecordQueue
}

/** The session continues after it. */
export async function runKept(
  { session, transaction, maxBytes }: TracedRun,
  wants: TraceWants,
): Promise<KeptRun> {
  const records = new RecordQueue(maxBytes, () => {
    throw rpcFault('LIMIT_EXCEEDED', { reason: 'the trace is too long' })
  })
  const result = await session.run([transaction], { wants, onRecords: (chunk) => records.add(chunk) })
  return { result, records }
}

/** Reused, because a buffer per transaction costs more than its text. */
let spare: TextBuffer | undefined

/** Made as it is read. */
export async function* keptText(
  { records }: KeptRun,
  { cancel }: Pick<TracedRun, 'cancel'>,
  visitorOf: (out: TextBuffer) => TraceVisitor,
): AsyncGenerator<string, void, undefined> {
  const text = spare ?? new TextBuffer()
  spare = undefined
  const reader = new RecordReader(visitorOf(text))
  const isEnough = (): boolean => text.length >= CHUNK_CHARACTERS
  for (const chunk of records.take()) {
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
