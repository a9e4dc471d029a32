import type { Genesis } from '#types/genesis.ts'
import type { WriterConfig } from './writer-protocol.ts'

/** What a command needs to work on the blocks of a node that is not running. */
export interface Ledger {
  readonly genesis: Genesis
  readonly writer: WriterConfig
}
