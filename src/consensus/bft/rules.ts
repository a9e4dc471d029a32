/**
 * What the machine is told rather than knows: how the two protocols differ, and every judgement on which safety or
 * progress rests. Pure functions, in one object, so that the simulator can hand in one that is wrong and show that
 * it is caught; a node passes what createQbftRules or createIbft2Rules make.
 */
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import type { Hash } from '#types/hash.ts'
import type { HeightContext, RequestKey, VotesRecord } from './events.ts'
import type {
  CommitMessage,
  CommitPayload,
  Draft,
  PreparedCertificate,
  PrepareMessage,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from './messages.ts'

/** What a message is judged by, beside itself. Filled from the HeightContext and the rules. */
export interface RuleContext {
  readonly height: number
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly quorum: number
  /** Prepares that make a proposal prepared. */
  readonly preparesNeeded: number
  proposerOf(round: number): Address
  forms: BftRules['forms']
  sealAuthor: BftRules['sealAuthor']
}

export interface BftRules {
  readonly protocol: BftProtocol
  quorum(validators: number): number
  preparesNeeded(validators: number): number
  /** QBFT: a proposer prepares its own proposal. IBFT 2.0: it must not. */
  readonly proposerPrepares: boolean
  /** QBFT: round 0 and its timer begin when the block is due. IBFT 2.0: with the height. */
  readonly roundZero: 'whenDue' | 'withHeight'
  readonly proposerOrder: ProposerOrder
  proposer(context: Pick<HeightContext, 'parent' | 'validators'>, round: number): Address
  /** The block with another round in its extra data, which is what seals of that round are over. */
  withRound(block: ProposedBlock, round: number): ProposedBlock
  /** Every form in which a block may be sent in a round; messages name it by the digest of the one that was sent. */
  forms(block: ProposedBlock, round: number): readonly ProposedBlock[]
  /** The one in which this node sends it. `heardPlain`: others say round 0 in every round, and understand nothing else. */
  sentForm(block: ProposedBlock, round: number, heardPlain: boolean): ProposedBlock
  /** Who made the seal of a commit, if it is over this hash. */
  sealAuthor(commit: CommitPayload, sealed: Hash): Address | undefined
  /** Whether a block is one that was found valid, whole: its hash leaves the body out. */
  isSameBlock(valid: ProposedBlock, block: ProposedBlock): boolean
  /** QBFT: whoever signs a proposal signs its block, body included. IBFT 2.0: only its digest, and anyone may change the body. */
  readonly proposalCoversBody: boolean
  /** Whether a round change counts that claims a block, by what the writer said about the block. */
  isProven(isBlockValid: boolean): boolean
  roundTimeoutMs(requestTimeoutMs: number, round: number): number
  /** What is wrong, as a sentence; undefined: nothing. All but the block itself, which is executed elsewhere. */
  proposalProblem(message: ProposalMessage, context: RuleContext): string | undefined
  roundChangeProblem(message: RoundChangeMessage, context: RuleContext): string | undefined
  /** `sealed`: what its seal has to be over, once the block is known that it votes for. */
  voteProblem(
    message: PrepareMessage | CommitMessage,
    context: RuleContext,
    sealed?: Hash,
  ): string | undefined
  /** Whether a message of this author is looked at. */
  isMember(author: Address, validators: readonly Address[]): boolean
  /** The votes with one more; the same list if its author voted before. */
  collect<Vote extends Signed<unknown>>(votes: readonly Vote[], vote: Vote): readonly Vote[]
  /** The one whose block has to be proposed again; undefined: any block may be. */
  bestPrepared(roundChanges: readonly RoundChangeMessage[]): RoundChangeMessage | undefined
  /** Which certificate a validator keeps. */
  laterCertificate(
    kept: PreparedCertificate | undefined,
    found: PreparedCertificate,
  ): PreparedCertificate | undefined
  /** To which higher round a node goes because some honest validator must be there; undefined: it stays. */
  roundOfOthers(
    roundChanges: readonly Signed<RoundChangePayload>[],
    round: number,
    validators: number,
  ): number | undefined
  /** The record with the vote in it; undefined: the vote would go against the record. */
  recordVote(
    record: VotesRecord | undefined,
    draft: Draft,
    certificate: PreparedCertificate | undefined,
  ): VotesRecord | undefined
  /** Whether an answer belongs to the request that is waited for. */
  isAnswer(answer: RequestKey, request: RequestKey): boolean
}

/** What the rules need to know of a height. */
export function ruleContextOf(rules: BftRules, context: HeightContext): RuleContext {
  const { height, validators } = context
  return {
    height,
    validators,
    quorum: rules.quorum(validators.length),
    preparesNeeded: rules.preparesNeeded(validators.length),
    proposerOf: (round) => rules.proposer(context, round),
    forms: rules.forms,
    sealAuthor: rules.sealAuthor,
  }
}
