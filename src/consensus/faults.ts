import { defineFaults } from '#types/fault.ts'

/** Errors in consensus, except for rule violations in messages and headers, which are verdicts. */
export type ConsensusFaultKind =
  /** Bytes from a peer that are not a valid message. */
  | 'INVALID_BFT_MESSAGE'
  /** The validator contract does not answer, or its answer is invalid. */
  | 'VALIDATOR_CONTRACT_FAILED'
  /** The signature log belongs to another network. */
  | 'FOREIGN_VOTES_FILE'
  /** A block of this node breaks a rule, which is a bug. */
  | 'OWN_BLOCK_REFUSED'

export const consensusFault = defineFaults<ConsensusFaultKind>()
