import type {
  BftMessage,
  CommitPayload,
  Draft,
  Payload,
  PreparePayload,
  ProposalPayload,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
  WireGeneration,
} from '#consensus/bft/messages.ts'

export interface ProposalReasons {
  /** The quorum that asked for the round; none in round 0. */
  readonly roundChanges: readonly RoundChangeMessage[]
  /** The one whose block is proposed again. */
  readonly best: RoundChangeMessage | undefined
}

/** What was signed, with what has to travel beside it. */
export function ownMessage(
  draft: Draft,
  signed: Signed<Payload>,
  reasons: ProposalReasons,
  generation: WireGeneration,
): BftMessage {
  switch (draft.kind) {
    case 'prepare':
      return { kind: 'prepare', signed: signed as Signed<PreparePayload> }
    case 'commit':
      return { kind: 'commit', signed: signed as Signed<CommitPayload> }
    case 'proposal':
      return {
        kind: 'proposal',
        signed: signed as Signed<ProposalPayload>,
        block: draft.block,
        roundChanges: reasons.roundChanges.map((change) => change.signed),
        prepares: reasons.best?.prepares ?? [],
        generation,
      }
    case 'roundChange': {
      const { certificate } = draft
      return {
        kind: 'roundChange',
        signed: signed as Signed<RoundChangePayload>,
        block: certificate?.block,
        // With the proposal in it the certificate is part of what was signed, and does not stand beside it.
        prepares: certificate && certificate.proposal === undefined ? certificate.prepares : [],
        generation,
      }
    }
  }
}
