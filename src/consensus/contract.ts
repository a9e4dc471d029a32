import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { BftStatus } from './status.ts'
import type { LocalVotes } from './validators/local-votes.ts'

/** Block production, and the validator changes that this node votes for. */
export const CONSENSUS = {
  pendingVotes: question<[], readonly BftVote[]>(),
  proposeVote: changing<[recipient: Address, type: BftVote['type']], void>('votes'),
  discardVote: changing<[recipient: Address], void>('votes'),
  /** Undefined if this node does not take part in block production. */
  status: question<[], BftStatus | undefined>(),
  /** The coinbase of this node's blocks; undefined if it makes none. */
  coinbase: question<[], Address | undefined>(),
}

export type LiveConsensus = OwnerOf<typeof CONSENSUS>

export function createLiveConsensus(
  votes: LocalVotes,
  others: Pick<LiveConsensus, 'status' | 'coinbase'>,
): LiveConsensus {
  return {
    pendingVotes: () => votes.all(),
    proposeVote: (recipient, type) => votes.propose(recipient, type),
    discardVote: (recipient) => votes.discard(recipient),
    status: () => others.status(),
    coinbase: () => others.coinbase(),
  }
}
