/**
 * The protocol differences, and every judgement on which safety or liveness depends: pure functions in one object, so the
 * simulator can inject a wrong one and show that it is caught. A node uses those of createQbftRules or createIbft2Rules.
 */
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { ProposerOrder } from '#types/block/proposer-order.ts'
import type { Hash } from '#types/hash.ts'
import type { HeightContext, RequestKey, SignatureEntry } from './events.ts'
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

/** The context of a judgement, from the HeightContext and the rules. */
export interface RuleContext {
  readonly height: number
  /** Ascending. */
  readonly validators: readonly Address[]
  readonly quorum: number
  /** The number of prepares that make a proposal prepared. */
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
  /** The block with another round in its extra data, which the seals of that round sign. */
  withRound(block: ProposedBlock, round: number): ProposedBlock
  /** The forms in which a block may be sent in a round; messages use the digest of the form that was sent. */
  forms(block: ProposedBlock, round: number): readonly ProposedBlock[]
  /** The form that this node sends. `heardPlain`: other validators write round 0 in every round and accept nothing else. */
  sentForm(block: ProposedBlock, round: number, heardPlain: boolean): ProposedBlock
  /** The author of a commit's seal if it signs this hash. */
  sealAuthor(commit: CommitPayload, sealed: Hash): Address | undefined
  /** Whether a block equals a valid one completely; its hash does not cover the body. */
  isSameBlock(valid: ProposedBlock, block: ProposedBlock): boolean
  /** QBFT: a proposal's signature covers the body. IBFT 2.0: only the digest, so anyone may change the body. */
  readonly proposalCoversBody: boolean
  /** Whether a round change with a claimed block counts, given the writer's verdict. */
  isProven(isBlockValid: boolean): boolean
  roundTimeoutMs(requestTimeoutMs: number, round: number): number
  /** Returns the problem, or undefined. Does not execute the block. */
  proposalProblem(message: ProposalMessage, context: RuleContext): string | undefined
  roundChangeProblem(message: RoundChangeMessage, context: RuleContext): string | undefined
  /** `sealed` is the hash its seal must sign, once the block is known. */
  prepareOrCommitProblem(
    message: PrepareMessage | CommitMessage,
    context: RuleContext,
    sealed?: Hash,
  ): string | undefined
  /** Whether messages of this author are handled. */
  isMember(author: Address, validators: readonly Address[]): boolean
  /** Adds a message; returns the same list if its author is in it. */
  collect<Message extends Signed<unknown>>(messages: readonly Message[], message: Message): readonly Message[]
  /** The round change whose block must be proposed again; undefined if any block may be proposed. */
  bestPrepared(roundChanges: readonly RoundChangeMessage[]): RoundChangeMessage | undefined
  /** The certificate that a validator keeps. */
  laterCertificate(
    kept: PreparedCertificate | undefined,
    found: PreparedCertificate,
  ): PreparedCertificate | undefined
  /** The higher round that an honest validator must have reached; undefined to stay. */
  roundOfOthers(
    roundChanges: readonly Signed<RoundChangePayload>[],
    round: number,
    validators: number,
  ): number | undefined
  /** Returns the entry with the signature; undefined if that contradicts the log. */
  recordSignature(
    entry: SignatureEntry | undefined,
    draft: Draft,
    certificate: PreparedCertificate | undefined,
  ): SignatureEntry | undefined
  /** Whether an answer belongs to the open request. */
  isAnswer(answer: RequestKey, request: RequestKey): boolean
}

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
