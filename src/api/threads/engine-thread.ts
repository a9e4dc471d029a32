import type { LimitValues } from '#api/options.ts'
import type { AnnouncedHead, ChainReaderConfig } from '#chain/read/open-chain-reader.ts'
import type { SharedBuckets } from '#jsonrpc/limits/shared-buckets.ts'
import type { RequestRow } from '#platform/channel/channel-protocol.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import { defineThread, RESTART_AT_ONCE } from '#platform/thread/define-thread.ts'

/** Plain data, because it is cloned to the thread. */
export interface EngineConfig {
  readonly chain: ChainReaderConfig
  readonly head: AnnouncedHead
  /** The value of CAIRN_ENGINE. */
  readonly engine: string | undefined
  readonly limits: LimitValues
  /** Null if callers are not charged. */
  readonly buckets: SharedBuckets | null
  /** Modules with methods from outside the package (outside-methods.ts). */
  readonly methodModules: readonly string[]
  readonly isDevelopment: boolean
  /** The memory of the development network's call log; undefined on other networks. */
  readonly callLogSwitch: SharedArrayBuffer | undefined
}

type EngineThreadOffers = {
  readonly requests: {
    /** The server gets the other end of the line at the same time. */
    readonly connectServer: RequestRow<{ readonly name: string; readonly port: LinePort }, null>
  }
}

export type HeadEventOffer = { readonly events: { readonly headMoved: AnnouncedHead } }

export const ENGINE = defineThread<{ data: EngineConfig; offers: EngineThreadOffers; asks: HeadEventOffer }>({
  name: 'engine',
  entry: import.meta.resolve('#api/threads/engine-thread-entry.ts'),
  restart: RESTART_AT_ONCE,
  heap: {},
  lowPriority: true,
})
