import { defineFaults } from '#types/fault.ts'

/** What can go wrong in consensus other than a message or header that breaks a rule, which is a verdict. */
export type ConsensusFaultKind =
  /** Bytes from a peer that are no message of the protocol. */
  | 'INVALID_BFT_MESSAGE'
  /** The contract that names the validators does not answer, or answers something else. */
  | 'VALIDATOR_CONTRACT_FAILED'
  /** The file of votes belongs to another network. */
  | 'FOREIGN_VOTES_FILE'
  /** A block that this node made breaks a rule: a mistake of ours. */
  | 'OWN_BLOCK_REFUSED'

export const consensusFault = defineFaults<ConsensusFaultKind>()
