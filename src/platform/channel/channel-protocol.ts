import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '#platform/clock.ts'

/**
 * What one side of a channel offers the other: requests it answers, streams it produces on demand, news
 * it publishes. Values cross by structured clone: plain data, bigint and typed arrays arrive as they
 * were, class instances arrive as plain objects and functions not at all.
 */
export interface Protocol {
  readonly requests?: Readonly<Record<string, RequestRow<unknown, unknown>>>
  readonly streams?: Readonly<Record<string, StreamRow<unknown, unknown>>>
  readonly news?: Readonly<Record<string, unknown>>
}

export interface RequestRow<Params, Result> {
  readonly params: Params
  readonly result: Result
}

export interface StreamRow<Params, Chunk> {
  readonly params: Params
  readonly chunk: Chunk
}

export type RequestsOf<P extends Protocol> = P extends { requests: infer R } ? R : Record<never, never>
export type StreamsOf<P extends Protocol> = P extends { streams: infer S } ? S : Record<never, never>
export type NewsOf<P extends Protocol> = P extends { news: infer N } ? N : Record<never, never>

type ParamsOf<Row> = Row extends { params: infer Params } ? Params : never
type ResultOf<Row> = Row extends { result: infer Result } ? Result : never
type ChunkOf<Row> = Row extends { chunk: infer Chunk } ? Chunk : never

export interface HandlerContext {
  /** Aborts when the caller cancels, its deadline passes or the channel closes. Made when first read. */
  readonly signal: AbortSignal
  /** On the monotonic clock, which all threads share. */
  readonly deadlineAtMs: number
}

type RequestHandlers<Requests> = {
  readonly [Name in keyof Requests]: (
    params: ParamsOf<Requests[Name]>,
    context: HandlerContext,
  ) => MaybePromise<MaybeTransferring<ResultOf<Requests[Name]>>>
}
type StreamHandlers<Streams> = {
  readonly [Name in keyof Streams]: (
    params: ParamsOf<Streams[Name]>,
    context: HandlerContext,
  ) => AsyncIterable<MaybeTransferring<ChunkOf<Streams[Name]>>>
}
type MaybePromise<T> = T | Promise<T>
type MaybeTransferring<T> = T | Transferring<T>

/** A handler for each request and stream that the protocol lists; a section it lacks may be left out. */
export type Handlers<P extends Protocol> = (P extends { requests: infer R }
  ? { readonly requests: RequestHandlers<R> }
  : { readonly requests?: undefined }) &
  (P extends { streams: infer S }
    ? { readonly streams: StreamHandlers<S> }
    : { readonly streams?: undefined })

export type TransferList = readonly (ArrayBuffer | MessagePort)[]

/** A result or chunk whose buffers move to the other side instead of being copied. */
export class Transferring<T> {
  readonly value: T
  readonly transfer: TransferList

  constructor(value: T, transfer: TransferList) {
    this.value = value
    this.transfer = transfer
  }
}

export interface CallOptions {
  /** For the whole request or stream; default `limits.deadlineMs`. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  readonly transfer?: TransferList
  /** An urgent request is sent at once, however many are under way. The caller makes sure that there are few. */
  readonly isUrgent?: boolean
}

/**
 * `buffered`: the listener is slow. `dropped`: so slow that the oldest buffered piece was lost to make
 * room. `unheard`: nobody listens over there, or the channel is closed.
 */
export type NewsVerdict = 'sent' | 'buffered' | 'dropped' | 'unheard'

export interface NewsContext {
  readonly sequence: number
  /** How many before this one were lost since the last one heard: above zero, catch up from the source. */
  readonly missed: number
}

export interface Channel<Local extends Protocol, Remote extends Protocol> {
  /** Rejects with a Fault: CHANNEL_FULL at once, DEADLINE_EXCEEDED, CHANNEL_CLOSED, or the handler's own. */
  request<Name extends keyof RequestsOf<Remote> & string>(
    name: Name,
    params: ParamsOf<RequestsOf<Remote>[Name]>,
    options?: CallOptions,
  ): Promise<ResultOf<RequestsOf<Remote>[Name]>>
  /** Starts with the first `next()`; leaving the loop cancels it at the producer. */
  stream<Name extends keyof StreamsOf<Remote> & string>(
    name: Name,
    params: ParamsOf<StreamsOf<Remote>[Name]>,
    options?: CallOptions,
  ): AsyncGenerator<ChunkOf<StreamsOf<Remote>[Name]>, void, void>
  /** To the listener of the other side, if it has one. The news belongs to the channel from here on. */
  publish<Name extends keyof NewsOf<Local> & string>(
    name: Name,
    news: NewsOf<Local>[Name],
    transfer?: TransferList,
  ): NewsVerdict
  /** Resolves when the next `publish` of this name would be sent and not buffered. */
  newsReady(name: keyof NewsOf<Local> & string): Promise<void>
  /**
   * One listener for each name, called in order, one at a time; the next waits for its promise. It hears
   * what is published after the other side learned of it, so listen first and read the state then.
   */
  onNews<Name extends keyof NewsOf<Remote> & string>(
    name: Name,
    listener: (news: NewsOf<Remote>[Name], context: NewsContext) => void | Promise<void>,
  ): () => void
  close(): void
  /** Resolves, with the reason, when either side closed. */
  readonly closed: Promise<Error>
}

export interface ChannelLimits {
  /** Requests sent and not yet answered. */
  readonly inFlightMax: number
  /** Requests that wait here for one of those to be answered. */
  readonly queuedMax: number
  /** Streams read at a time; there is no queue for more. */
  readonly streamsMax: number
  /** Requests and streams of the other side worked on at a time: the other's limits are not trusted. */
  readonly servingMax: number
  /** Chunks of a stream under way or unread. */
  readonly streamWindow: number
  /** News of one name under way or unheard. */
  readonly newsWindow: number
  /** News of one name kept for a slow listener before the oldest is dropped. */
  readonly newsBufferMax: number
  /** Where a request or stream names none. */
  readonly deadlineMs: number
}

export const CHANNEL_LIMITS: ChannelLimits = {
  inFlightMax: 256,
  queuedMax: 1_024,
  streamsMax: 64,
  servingMax: 512,
  streamWindow: 16,
  newsWindow: 64,
  newsBufferMax: 1_024,
  deadlineMs: 30_000,
}

/** The deadline of a stream that is open for as long as both sides want it. */
export const NEVER_MS = 100 * 365 * 24 * 3_600_000

export interface ChannelOptions {
  readonly clock: Clock
  readonly limits?: Partial<ChannelLimits>
  /** Whom to name in sentences, e.g. `thread engine-1`. */
  readonly peer?: string
  /** Told what a news listener throws, and of news that could not be cloned. */
  readonly onError: (error: unknown) => void
}
