import { defineFaults } from '#types/fault.ts'

/** Failures of a chain other than an invalid block, which is a verdict. Callers at the edge map every kind. */
export type ChainFaultKind =
  /** The requested block is unknown. */
  | 'UNKNOWN_BLOCK'
  /** The parent of a proposal is neither the head nor a block executed on it. */
  | 'NOT_ON_HEAD'
  /** A block file ends within a block or is not one. */
  | 'BLOCKS_FILE_INVALID'
  /** A block of a file is invalid. */
  | 'IMPORT_REFUSED'
  /** A state file is damaged, truncated or not one. */
  | 'SNAPSHOT_INVALID'
  /** The state belongs to another chain or lacks the required seals. */
  | 'SNAPSHOT_REFUSED'
  /** Only the header of the block is stored: the chain began with a later state, or the rest was dropped. */
  | 'HISTORY_UNAVAILABLE'

export const chainFault = defineFaults<ChainFaultKind>()
