import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import type { Genesis } from '#types/genesis/genesis.ts'

/** What a command needs to work on the blocks of a node that is not running. */
export interface Ledger {
  readonly genesis: Genesis
  readonly writer: WriterConfig
}
