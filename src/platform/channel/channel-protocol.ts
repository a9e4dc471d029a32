import type { MessagePort } from 'node:worker_threads'
import type { Clock } from '#platform/clock.ts'

/**
 * One side's offer to the other: requests it answers, streams it produces on demand, events it publishes. Values cross by
 * structured clone: plain data, bigint and typed arrays stay as they are, class instances become plain objects, and
 * functions cannot cross.
 */
export interface Protocol {
  readonly requests?: Readonly<Record<string, RequestRow<unknown, unknown>>>
  readonly streams?: Readonly<Record<string, StreamRow<unknown, unknown>>>
  readonly events?: Readonly<Record<string, unknown>>
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
export type EventsOf<P extends Protocol> = P extends { events: infer N } ? N : Record<never, never>

type ParamsOf<Row> = Row extends { params: infer Params } ? Params : never
type ResultOf<Row> = Row extends { result: infer Result } ? Result : never
type ChunkOf<Row> = Row extends { chunk: infer Chunk } ? Chunk : never

export interface HandlerContext {
  /** Aborts when the caller cancels, its deadline passes or the channel closes. Created when first read. */
  readonly signal: AbortSignal
  /** A time of the monotonic clock, which all threads share. */
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

/** A handler for each request and stream of the protocol. A section that the protocol lacks may be omitted. */
export type Handlers<P extends Protocol> = (P extends { requests: infer R }
  ? { readonly requests: RequestHandlers<R> }
  : { readonly requests?: undefined }) &
  (P extends { streams: infer S }
    ? { readonly streams: StreamHandlers<S> }
    : { readonly streams?: undefined })

export type TransferList = readonly (ArrayBuffer | MessagePort)[]

/** A result or chunk whose buffers are transferred instead of copied. */
export class Transferring<T> {
  readonly value: T
  readonly transfer: TransferList

  constructor(value: T, transfer: TransferList) {
    this.value = value
    this.transfer = transfer
  }
}

export interface CallOptions {
  /** The deadline of the complete request or stream; default `limits.deadlineMs`. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  readonly transfer?: TransferList
  /** Sends the request at once, regardless of how many are in flight. The caller keeps urgent requests rare. */
  readonly isUrgent?: boolean
}

/**
 * `buffered`: the listener is slow. `dropped`: the buffer was full and lost its oldest item. `unheard`: the other side
 * does not listen, or the channel is closed.
 */
export type EventVerdict = 'sent' | 'buffered' | 'dropped' | 'unheard'

export interface EventContext {
  readonly sequence: number
  /** The number of items lost since the last one received. If it is above zero, catch up from the source. */
  readonly missed: number
}

export interface Channel<Local extends Protocol, Remote extends Protocol> {
  /** Rejects with a Fault: CHANNEL_FULL at once, DEADLINE_EXCEEDED, CHANNEL_CLOSED, or the handler's own fault. */
  request<Name extends keyof RequestsOf<Remote> & string>(
    name: Name,
    params: ParamsOf<RequestsOf<Remote>[Name]>,
    options?: CallOptions,
  ): Promise<ResultOf<RequestsOf<Remote>[Name]>>
  /** Starts with the first `next()`. Leaving the loop cancels the stream at the producer. */
  stream<Name extends keyof StreamsOf<Remote> & string>(
    name: Name,
    params: ParamsOf<StreamsOf<Remote>[Name]>,
    options?: CallOptions,
  ): AsyncGenerator<ChunkOf<StreamsOf<Remote>[Name]>, void, void>
  /** Sends an event to the other side's listener, if there is one. The channel owns the value from here on. */
  publish<Name extends keyof EventsOf<Local> & string>(
    name: Name,
    event: EventsOf<Local>[Name],
    transfer?: TransferList,
  ): EventVerdict
  /** Resolves when the next `publish` of this name would be sent instead of buffered. */
  eventsReady(name: keyof EventsOf<Local> & string): Promise<void>
  /**
   * Registers the one listener of a name. Calls are in order, one at a time; the next waits for the listener's promise.
   * The listener receives the events published after the other side registered it, so listen first and then read the state.
   */
  onEvent<Name extends keyof EventsOf<Remote> & string>(
    name: Name,
    listener: (event: EventsOf<Remote>[Name], context: EventContext) => void | Promise<void>,
  ): () => void
  close(): void
  /** Resolves with the reason when either side closes. */
  readonly closed: Promise<Error>
}

export interface ChannelLimits {
  /** Requests sent and not yet answered. */
  readonly inFlightMax: number
  /** Requests that wait for one of those to be answered. */
  readonly queuedMax: number
  /** Concurrent streams read; further ones are refused, not queued. */
  readonly streamsMax: number
  /** Concurrent requests and streams served, because the other side's limits are not trusted. */
  readonly servingMax: number
  /** Chunks of a stream in transit or unread. */
  readonly streamWindow: number
  /** Events of one name in transit or unread. */
  readonly newsWindow: number
  /** Events of one name buffered for a slow listener before the oldest is dropped. */
  readonly newsBufferMax: number
  /** The default deadline of requests and streams. */
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

/** The deadline of a stream that stays open as long as both sides want it. */
export const NEVER_MS = 100 * 365 * 24 * 3_600_000

export interface ChannelOptions {
  readonly clock: Clock
  readonly limits?: Partial<ChannelLimits>
  /** The other side's name in sentences, e.g. `thread engine-1`. */
  readonly peer?: string
  /** Called with errors that an event listener throws, and for events that cannot be cloned. */
  readonly onError: (error: unknown) => void
}
