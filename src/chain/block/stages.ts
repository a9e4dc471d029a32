/**
 * The room `chain` owns blocks from decoding to durable storage: header and body rules, execution on the parent's
 * state, siblings, rewinds, and reading stored blocks. Seals and validators belong to `consensus`, which implements
 * the interface in header-rules.ts; the virtual machine belongs to `evm`, keys and tables to `store`. Chain is the
 * only writer of the store. Writing goes through the writer thread, reading works on every thread (lookup.ts).
 *
 * The stages of a block are types, so the store commits executed blocks only: received, header validated, executed.
 * Imported blocks are in the store and are read through lookup.ts.
 */
import type { BlockExecution } from '#evm/block/block-session.ts'
import type { NewBlock } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import type { Block } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'

export interface KnownHeader {
  readonly hash: Hash
  readonly header: BlockHeader
}

/** A decoded block, not yet validated in any way. */
export interface ReceivedBlock {
  readonly stage: 'received'
  readonly hash: Hash
  readonly block: Block
  /** Length of the RLP after the header, which does not depend on the seals. */
  readonly bodyBytes: number
}

/** The header follows from its parent and commits to this body. */
export interface HeaderValidatedBlock {
  readonly stage: 'header validated'
  readonly hash: Hash
  readonly block: Block
}

/** The block was executed on its parent's state, and every root matches the header. */
export interface ExecutedBlock {
  readonly stage: 'executed'
  readonly hash: Hash
  readonly block: Block
  readonly execution: BlockExecution
  /** The sender of each transaction. */
  readonly senders: readonly Address[]
  readonly stored: NewBlock
}

export type BlockProblem =
  /** The parent is unknown but may still arrive. */
  | 'UNKNOWN_PARENT'
  | 'INVALID_HEADER'
  | 'INVALID_SEAL'
  | 'INVALID_BODY'
  | 'INVALID_OMMERS'
  | 'INVALID_TRANSACTION'
  | 'EXECUTION_REFUSED'
  | 'WRONG_GAS_USED'
  | 'WRONG_BLOOM'
  | 'WRONG_RECEIPTS_ROOT'
  | 'WRONG_REQUESTS'
  | 'WRONG_STATE_ROOT'

export interface InvalidBlock {
  readonly ok: false
  readonly reason: BlockProblem
  readonly sentence: string
}

export function invalidBlock(reason: BlockProblem, sentence: string): InvalidBlock {
  return { ok: false, reason, sentence }
}
