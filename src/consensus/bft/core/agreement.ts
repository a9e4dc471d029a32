/**
 * One round: a proposal is executed, prepared by a quorum, committed by a quorum and imported. height.ts decides on rounds and
 * proposals.
 */
import type { Delivery, Event, HeightContext, RequestKey } from '#consensus/bft/events.ts'
import type {
  CommitMessage,
  CommitPayload,
  Draft,
  PreparedCertificate,
  PrepareMessage,
  PreparePayload,
  ProposalMessage,
  ProposedBlock,
  Signed,
} from '#consensus/bft/messages.ts'
import type { RuleContext } from '#consensus/bft/rules.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import type { RoundStage } from './core-state.ts'
import type { Surroundings } from './machine.ts'
import { RoundMessages, withDigest } from './round-messages.ts'
import type { ValidBlocks } from './valid-blocks.ts'
import type { WorkKind } from './work.ts'

const IMPORT_RETRY_MS = 1_000
/** Maximum import attempts. A clock that runs behind refuses a block for a second or two; a longer refusal is final. */
export const MAX_IMPORT_REFUSALS = 5

export interface AgreementParts {
  readonly core: Surroundings
  readonly context: HeightContext
  readonly ruleContext: RuleContext
  readonly valid: ValidBlocks
  readonly startWork: (kind: WorkKind) => RequestKey
  readonly sign: (draft: Draft) => void
  readonly isMyTurn: () => boolean
  /** Called when a committed block cannot be imported. */
  readonly giveUp: () => void
}

interface Offer {
  readonly message: ProposalMessage
  readonly delivery: Delivery
}

export class Agreement {
  stage: RoundStage = 'waitingForTime'
  readonly #parts: AgreementParts
  readonly #messages: RoundMessages
  #round: number
  #offer: Offer | undefined
  /** The same proposal with other bodies, if no signature covers the body; one per peer. */
  #others: readonly Offer[] = []
  #triedPeers = new Set<string>()
  #certificate: PreparedCertificate | undefined
  #seals: readonly Uint8Array[] = []
  /** Whether the seals of commits for the current proposal are valid; each check may cost a key recovery. */
  #isSealGood = new WeakMap<Signed<CommitPayload>, boolean>()
  #importRefusals = 0

  constructor(parts: AgreementParts, round: number) {
    this.#parts = parts
    this.#round = round
    this.#messages = new RoundMessages(parts.core.rules.collect)
  }

  get proposal(): ProposalMessage | undefined {
    return this.#offer?.message
  }

  get certificate(): PreparedCertificate | undefined {
    return this.#certificate
  }

  prepares(): readonly Signed<PreparePayload>[] {
    return this.#messages.prepares(this.#round)
  }

  commits(): readonly Signed<CommitPayload>[] {
    return this.#messages.commits(this.#round)
  }

  /** Restores the certificate of the time before the start. */
  restore(certificate: PreparedCertificate | undefined): void {
    this.#certificate = certificate
  }

  enter(round: number): void {
    this.#messages.dropBelow(round)
    this.#round = round
    this.stage = 'waitingForProposal'
    this.#offer = undefined
    this.#others = []
    this.#triedPeers = new Set()
    this.#isSealGood = new WeakMap()
    this.#importRefusals = 0
  }

  /** Takes back the start of round 0. */
  withdraw(round: number): void {
    this.#round = round
    this.stage = 'waitingForTime'
  }

  /** Updates the certificate when the round is left, because Besu includes all prepares received by then. */
  leave(): void {
    if (this.stage === 'waitingForCommits') this.#keepCertificate()
  }

  /** Whether a proposal can still change anything; otherwise it is not judged. */
  wants(message: ProposalMessage, delivery: Delivery): boolean {
    const known = this.proposal
    if (known === undefined) return true
    if (known.block.digest === message.block.digest) return this.#mayReplace(known, message, delivery)
    this.#parts.core.reporter.equivocation(message)
    return false
  }

  /** Handles a wanted proposal that passed the rules but is not executed yet. */
  onProposal(message: ProposalMessage, delivery: Delivery): void {
    const offer = { message, delivery }
    if (this.stage !== 'validating' || this.#parts.valid.has(message.block)) this.#take(offer)
    else this.#others = [...this.#others, offer]
  }

  /** In IBFT 2.0 a relaying peer can attach a false body to a proposal; another peer may send the true one. */
  #mayReplace({ block }: ProposalMessage, { block: other }: ProposalMessage, { from }: Delivery): boolean {
    const { rules } = this.#parts.core
    if (rules.proposalCoversBody || (this.stage !== 'validating' && this.stage !== 'refused')) return false
    return !this.#triedPeers.has(from) && !rules.isSameBlock(block, other)
  }

  #take(offer: Offer): void {
    const { core, valid, startWork } = this.#parts
    const { block } = offer.message
    this.#offer = offer
    this.#triedPeers.add(offer.delivery.from)
    if (valid.has(block)) this.#accept(offer)
    else {
      this.stage = 'validating'
      core.act({ type: 'validate', ...startWork('validate'), block })
    }
  }

  onValidated(event: Event & { type: 'validated' }): void {
    const offer = this.#offer
    assert(offer !== undefined, 'A validated block was proposed.')
    if (event.ok) {
      this.#parts.valid.add(offer.message.block)
      this.#accept(offer)
      return
    }
    this.stage = 'refused'
    this.#parts.core.reporter.refuse(offer.message, event.sentence)
    const [next, ...others] = this.#others
    this.#others = others
    if (next !== undefined) this.#take(next)
  }

  #accept({ message, delivery }: Offer): void {
    const { context, core, sign, isMyTurn } = this.#parts
    const { height } = context
    const { block, signed } = message
    const round = this.#round
    core.past.noteSigned(block.hash)
    if (!core.rules.proposalCoversBody) delivery.passOn()
    this.stage = 'waitingForPrepares'
    core.reporter.report({
      kind: 'proposalAccepted',
      height,
      round,
      block: block.hash,
      author: signed.author,
    })
    if (core.rules.proposerPrepares || !isMyTurn())
      sign({ kind: 'prepare', height, round, digest: block.digest })
    this.#progress()
  }

  onPrepareOrCommit(message: PrepareMessage | CommitMessage): void {
    const { core, ruleContext } = this.#parts
    const { block } = this.proposal ?? {}
    if (block !== undefined) core.formChoice.hearPrepareOrCommit(message, block, this.#round)
    const problem = core.rules.prepareOrCommitProblem(
      message,
      ruleContext,
      this.#sealedFor(message.signed.payload),
    )
    if (problem !== undefined) {
      core.reporter.refuse(message, problem)
      return
    }
    const added = this.#messages.add(message.signed, this.#round)
    if (added === 'different') core.reporter.equivocation(message)
    if (added === 'added' && message.signed.payload.round === this.#round) this.#progress()
  }

  #progress(): void {
    if (this.stage === 'waitingForPrepares') this.#tryToPrepare(this.#block())
    if (this.stage === 'waitingForPrepares' || this.stage === 'waitingForCommits')
      this.#tryToCommit(this.#block())
  }

  #tryToPrepare({ digest }: ProposedBlock): void {
    const { context, core, ruleContext, sign } = this.#parts
    const { height } = context
    const round = this.#round
    if (withDigest(this.prepares(), digest).length < ruleContext.preparesNeeded) return
    this.stage = 'waitingForCommits'
    this.#keepCertificate()
    core.reporter.report({ kind: 'prepared', height, round, digest })
    sign({ kind: 'commit', height, round, digest, sealed: this.#sealed().digest })
  }

  #keepCertificate(): void {
    const { rules } = this.#parts.core
    const { block, signed } = this.proposal as ProposalMessage
    const prepares = withDigest(this.prepares(), block.digest)
    const proposal = rules.protocol === 'ibft2' ? signed : undefined
    const found = { round: this.#round, block, prepares, proposal }
    this.#certificate = rules.laterCertificate(this.#certificate, found)
  }

  #tryToCommit(block: ProposedBlock): void {
    const { context, core, ruleContext } = this.#parts
    const { height } = context
    const round = this.#round
    const commits = this.#sealedCommits(block)
    if (commits.length < ruleContext.quorum) return
    this.#seals = commits.map(({ payload }) => payload.seal)
    core.reporter.report({ kind: 'committed', height, round, block: block.hash, seals: commits.length })
    core.cancelTimer('round')
    this.stage = 'importing'
    this.import()
  }

  import(): void {
    const { core, startWork } = this.#parts
    core.act({ type: 'import', ...startWork('import'), block: this.#sealed(), seals: this.#seals })
  }

  /** A block committed by a quorum is final, so the import is retried until it succeeds or the block arrives another way. */
  onImportFailed(): void {
    this.#parts.core.startTimer('import', IMPORT_RETRY_MS)
  }

  /** After repeated refusals the round is left, so another peer may bring the correct block. */
  onImportRefused(): void {
    this.#importRefusals += 1
    if (this.#importRefusals < MAX_IMPORT_REFUSALS) this.onImportFailed()
    else {
      this.#parts.valid.delete(this.#block())
      this.#parts.giveUp()
    }
  }

  /** This node could not do its own part of the round. */
  onWorkFailed(): void {
    this.stage = 'refused'
  }

  /** Seals that arrived before the block are verified here. */
  #sealedCommits(block: ProposedBlock): readonly Signed<CommitPayload>[] {
    const { core, ruleContext } = this.#parts
    const { digest } = this.#sealed()
    return withDigest(this.commits(), block.digest).filter((signed) => {
      const isGood =
        this.#isSealGood.get(signed) ??
        core.rules.prepareOrCommitProblem({ kind: 'commit', signed }, ruleContext, digest) === undefined
      this.#isSealGood.set(signed, isGood)
      return isGood
    })
  }

  /** The hash that the seal must sign; undefined if the block is not known. */
  #sealedFor({ round, digest }: PreparePayload | CommitPayload): Hash | undefined {
    const isKnown = round === this.#round && digest === this.proposal?.block.digest
    return isKnown ? this.#sealed().digest : undefined
  }

  /** The block as it goes into the chain, without seals: always with the round in its extra data. */
  #sealed(): ProposedBlock {
    return this.#parts.core.rules.withRound(this.#block(), this.#round)
  }

  #block(): ProposedBlock {
    return (this.proposal as ProposalMessage).block
  }
}
