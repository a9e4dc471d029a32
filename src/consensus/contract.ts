import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { BftStatus } from './status.ts'
import type { LocalVotes } from './validators/local-votes.ts'

/** How blocks are made, and which changes of the validators this node wants. */
export const CONSENSUS = {
  pendingVotes: question<[], readonly BftVote[]>(),
  proposeVote: changing<[recipient: Address, type: BftVote['type']], void>('votes'),
  discardVote: changing<[recipient: Address], void>('votes'),
  /** undefined: this node takes no part in making blocks. */
  status: question<[], BftStatus | undefined>(),
  /** The beneficiary of this node's blocks; undefined: it makes none. */
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
