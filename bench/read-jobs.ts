import type { NodeOptions } from '#node/create-node.ts'

/** The variable that tells bench/slow-down.ts its percentage. */
export const SLOWER_PERCENT = 'CAIRN_BENCH_SLOWER_PERCENT'

/** Orders of bench/read.ts to the measured node. Sent as structured clones, so blocks stay bytes. */
export type NodeOrder =
  | {
      readonly kind: 'start'
      readonly genesisText: string
      readonly blocks: readonly Uint8Array[]
      readonly further: readonly Uint8Array[]
      /** Options in addition to the common ones. */
      readonly options: NonNullable<NodeOptions['options']>
      /** The path of an existing chain. */
      readonly dataPath?: string
    }
  | { readonly kind: 'feed'; readonly seconds: number }
  | { readonly kind: 'stop' }

export interface FeedReport {
  readonly blocks: number
  /** The longest time from a block's due time until it was durable and announced. */
  readonly worstMs: number
}
