/** Engine threads, and what they say to servers and to main. */
import type { AnnouncedHead, ChainReaderConfig } from '#chain/read/open-chain-reader.ts'
import type { RequestRow, StreamRow } from '#platform/channel/channel-protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import { defineThread, RESTART_AT_ONCE } from '#platform/thread/define-thread.ts'
import type { EngineAccount } from '#rpc/limits/call-limits.ts'
import type { SharedAccounts } from '#rpc/limits/shared-accounts.ts'
import type { RequestLimits } from '#rpc/resources.ts'

/** Everything an engine thread is told when it starts: plain data, because it is cloned. */
export interface EngineConfig {
  readonly chain: ChainReaderConfig
  readonly head: AnnouncedHead
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  readonly limits: RequestLimits
  /** Null: nobody is charged. */
  readonly accounts: SharedAccounts | null
  /** Modules with methods from outside the package (outside-methods.ts). */
  readonly methodModules: readonly string[]
}

/** What an engine thread answers a server, over a line of their own: main does not carry results. */
export type EngineOffers = {
  readonly requests: {
    readonly execute: RequestRow<ExecuteRequest, ExecuteAnswer>
  }
  readonly streams: {
    /** The chunks of an answer that is a stream; once. */
    readonly chunks: StreamRow<{ readonly id: number }, string>
  }
}

export interface ExecuteRequest {
  readonly method: string
  readonly params: readonly unknown[]
  /** Which of the cells of this line; no other request that is under way has the same. */
  readonly cell: number
  /** Set to other than 0 by the server when nobody waits for the answer any more. undefined: as sent for it before. */
  readonly cancel: Int32Array | undefined
  /**
   * The server's: the engine must not answer from an older one, whose news may still be on its way. undefined: one
   * that it was sent before on this line.
   */
  readonly head: AnnouncedHead | undefined
  /** What the method's `resolve` gave on the server. */
  readonly resolved: unknown
  /** Who is charged for it. */
  readonly account: EngineAccount | undefined
}

/** JSON text, or the number of a stream of it. */
export type ExecuteAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly id: number }

/** What an engine thread answers main. */
type EngineThreadOffers = {
  readonly requests: {
    /** A server's end of the line is handed to it at the same time. */
    readonly connectServer: RequestRow<{ readonly name: string; readonly port: LinePort }, null>
  }
}

/** What main tells every thread that reads the chain. */
export type HeadNewsOffer = { readonly news: { readonly headMoved: AnnouncedHead } }

export const ENGINE = defineThread<{ data: EngineConfig; offers: EngineThreadOffers; asks: HeadNewsOffer }>({
  name: 'engine',
  entry: import.meta.resolve('#rpc/threads/engine-thread-entry.ts'),
  restart: RESTART_AT_ONCE,
  heap: {},
  lowPriority: true,
})
