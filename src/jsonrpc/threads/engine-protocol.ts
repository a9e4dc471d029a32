import type { EngineBucket } from '#jsonrpc/limits/call-limits.ts'
import type { RequestRow, StreamRow } from '#platform/channel/channel-protocol.ts'
import type { PendingPart } from '#platform/data-pending.ts'
import type { CounterRow } from '#platform/metrics/metrics.ts'

export const ENGINE_REQUESTS: CounterRow = {
  kind: 'counter',
  category: 'rpc',
  name: 'engine_requests',
  help: 'Requests started by engine threads',
}

/** A later head has a higher number. */
export interface NumberedHead {
  readonly sequence: number
}

/** What an engine thread answers a server, on a line of their own: main does not carry results. */
export type EngineOffers<Head> = {
  readonly requests: {
    readonly execute: RequestRow<ExecuteRequest<Head>, ExecuteAnswer>
    /** Resolves when the data is there. */
    readonly fetched: RequestRow<{ readonly id: number }, null>
  }
  readonly streams: {
    /** The chunks of a streamed answer, which can be read once. A `fetching` chunk is the only one. */
    readonly chunks: StreamRow<{ readonly id: number }, string | Fetching>
  }
}

export interface ExecuteRequest<Head> {
  readonly method: string
  readonly params: readonly unknown[]
  /** The index of the cell on this line; no other running request has it. */
  readonly cell: number
  /** Set to non-zero by the server when no one waits for the answer. Undefined if it was sent before. */
  readonly cancel: Int32Array | undefined
  /** The server's head: the engine must not answer from an older one. Undefined if it was sent before on this line. */
  readonly head: Head | undefined
  /** The value of the method's `resolve` on the server. */
  readonly resolved: unknown
  /** Who is charged. */
  readonly bucket: EngineBucket | undefined
}

/** Data is being fetched from elsewhere; the server sends the request again when `fetched` has answered. */
export interface Fetching {
  readonly kind: 'fetching'
  readonly id: number
  readonly part: PendingPart
}

/** JSON text, or the id of a stream of it. */
export type ExecuteAnswer =
  | Fetching
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly id: number }
