/**
 * The text of a transaction that is traced instruction by instruction. Engines tell what happens while they run and cannot
 * be made to wait, so their records are kept until they are asked for, compact and compressed; the text, which is many
 * times as long, is made as fast as it is taken.
 */
import type { EngineSession, EngineTransaction, RunResult } from '#evm/engine.ts'
import { RecordQueue } from '#evm/trace/record-queue.ts'
import { RecordReader } from '#evm/trace/record-reader.ts'
import type { TraceVisitor } from '#evm/trace/record-visitor.ts'
import { NO_WANTS, type TraceRequest, type TraceWants } from '#evm/trace/records.ts'
import type { Shape } from '#evm/trace/shape.ts'
import { TextBuffer } from '#evm/trace/text-buffer.ts'
import { rpcFault } from '#rpc/errors.ts'

export interface TracedRun {
  /** With call trees. */
  readonly session: EngineSession
  readonly transaction: EngineTransaction
  /** Bytes of records that may be held. */
  readonly maxBytes: number
  readonly cancel: Int32Array | undefined
}

/** Characters that are sent at once. */
const CHUNK_CHARACTERS = 64 * 1024

/** A transaction that ran, and its records. */
export interface KeptRun {
  readonly result: RunResult
  readonly records: RecordQueue
}

/** Runs it in the session, which goes on after it. */
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

/** Whoever makes text takes it, and puts it back: to make one for each transaction of a block costs more than its text. */
let spare: TextBuffer | undefined

/** Made as it is taken. */
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

/** What an engine is asked for so that these shapes get their records, at once and each all that any of them wants. */
export function requestOf(...shapes: readonly Shape[]): TraceRequest {
  const wants: { -readonly [Name in keyof TraceWants]: boolean } = { ...NO_WANTS }
  for (const shape of shapes) {
    for (const name of WANT_NAMES) wants[name] ||= shape.wants[name]
  }
  const readers = shapes.map(({ visitor }) => new RecordReader(visitor))
  const onRecords = (chunk: Uint8Array): void => {
    for (const reader of readers) reader.read(chunk)
  }
  return { wants, onRecords }
}

const WANT_NAMES = Object.keys(NO_WANTS) as (keyof TraceWants)[]

/** Pieces put together until they are worth sending. */
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
