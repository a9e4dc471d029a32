/**
 * The room `chain` owns blocks from the moment they are decoded to the moment they are durable: header and body
 * rules, execution on the parent's state, siblings and the way back, and reading what is stored. It owns neither the
 * rules of seals and validators (consensus fills the port in header-rules.ts) nor the virtual machine (`evm`) nor
 * keys and tables (`store`). It is the only writer of the store. `pool`, `consensus`, `sync`, `rpc` and commands
 * call it; writing goes through the writer thread, reading works on every thread (lookup.ts).
 *
 * The stages of a block are types, so that nothing is committed that was not executed: received, header validated,
 * executed. What is imported is in the store, and comes back by lookup.ts.
 */
import type { BlockExecution } from '#evm/block/block-session.ts'
import type { NewBlock } from '#store/store.ts'
import type { Address } from '#types/address.ts'
import type { Block } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'

/** A header and the hash its block goes by. */
export interface KnownHeader {
  readonly hash: Hash
  readonly header: BlockHeader
}

/** Decoded, and no more: nothing about it is known to be right. */
export interface ReceivedBlock {
  readonly stage: 'received'
  readonly hash: Hash
  readonly block: Block
  /** Bytes after the header in RLP: the same whatever seals the header has. */
  readonly bodyBytes: number
}

/** Its header follows from its parent, and its body is the one that the header names. */
export interface HeaderValidatedBlock {
  readonly stage: 'header validated'
  readonly hash: Hash
  readonly block: Block
}

/** Executed on the state of its parent, with every root as the header says. */
export interface ExecutedBlock {
  readonly stage: 'executed'
  readonly hash: Hash
  readonly block: Block
  readonly execution: BlockExecution
  /** Of its transactions. */
  readonly senders: readonly Address[]
  /** As the store takes it. */
  readonly stored: NewBlock
}

export type BlockProblem =
  /** The parent is not known; it may come. */
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

/** Why a block cannot be part of the chain. */
export interface InvalidBlock {
  readonly ok: false
  readonly reason: BlockProblem
  readonly sentence: string
}

export function invalidBlock(reason: BlockProblem, sentence: string): InvalidBlock {
  return { ok: false, reason, sentence }
}
