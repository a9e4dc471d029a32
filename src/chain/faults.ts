import { defineFaults } from '#types/fault.ts'

/** What can go wrong with a chain other than a block that is invalid, which is a verdict. Edges map every kind. */
export type ChainFaultKind =
  /** Asked for a block that nobody gave us. */
  | 'UNKNOWN_BLOCK'
  /** A proposal whose parent is neither the head nor a block executed on it. */
  | 'NOT_ON_HEAD'
  /** A file of blocks that ends within a block, or is none. */
  | 'BLOCKS_FILE_INVALID'
  /** A block of a file is invalid. */
  | 'IMPORT_REFUSED'
  /** A file that should hold a state is damaged, cut off, or none. */
  | 'SNAPSHOT_INVALID'
  /** A state of another chain, or one that those who should have did not seal. */
  | 'SNAPSHOT_REFUSED'
  /** A block from before the state that this chain began with: only its header is stored. */
  | 'HISTORY_UNAVAILABLE'

export const chainFault = defineFaults<ChainFaultKind>()
