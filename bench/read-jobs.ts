import type { NodeOptions } from '#node/create-node.ts'

/** What bench/read.ts tells the node it measures. Sent with structured clones, so that blocks stay bytes. */
export type NodeOrder =
  | {
      readonly kind: 'start'
      readonly genesisText: string
      readonly blocks: readonly Uint8Array[]
      readonly further: readonly Uint8Array[]
      /** Beside those that every node here has. */
      readonly options: NonNullable<NodeOptions['options']>
      /** A chain that is there already. */
      readonly dataPath?: string
    }
  | { readonly kind: 'feed'; readonly seconds: number }
  | { readonly kind: 'stop' }

export interface FeedReport {
  readonly blocks: number
  /** From the moment when a block was due to the moment when it was durable and known. */
  readonly worstMs: number
}
