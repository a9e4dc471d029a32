/**
 * One height: rounds until a block has a quorum of commits. A round begins when its time comes, when a quorum asks for
 * it, when enough ask for a higher one that one of them is honest, or with a proposal that proves it; it goes proposal,
 * prepares, commits, import.
 */
import type { Event, HeightContext, RequestKey, RoundCause, TimerName } from '#consensus/bft/events.ts'
import {
  type BftMessage,
  type CommitMessage,
  type Draft,
  MAX_ROUND,
  type Payload,
  type PreparedCertificate,
  type PrepareMessage,
  type ProposalMessage,
  type RoundChangeMessage,
  type Signed,
} from '#consensus/bft/messages.ts'
import type { BftRules, RuleContext } from '#consensus/bft/rules.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import { HeightClock } from './height-clock.ts'
import type { Surroundings } from './machine.ts'
import { ownMessage } from './own-message.ts'
import type { Reporter } from './reporter.ts'
import { RoundChanges } from './round-changes.ts'
import { RoundVotes, votesFor } from './round-votes.ts'
import { ruleContextOf } from './rule-context.ts'
import { type CoreSnapshot, heightSnapshot, type RoundStage, type SurroundingSnapshot } from './snapshot.ts'
import { askToVote } from './vote.ts'
import { Work, type WorkKind } from './work.ts'

/** Before the block is due there is no round. */
const NO_ROUND = -1
const IMPORT_RETRY_MS = 1_000

type Answer = Exclude<Event, { type: 'headMoved' | 'message' | 'timer' }>

export class Height {
  readonly context: HeightContext
  readonly isValidator: boolean
  readonly #core: Surroundings
  readonly #rules: BftRules
  readonly #reporter: Reporter
  readonly #ruleContext: RuleContext
  readonly #votes: RoundVotes
  readonly #changes: RoundChanges
  readonly #work: Work
  readonly #clock: HeightClock
  /** Blocks that were executed, by the hash that no round changes: none is executed twice. */
  readonly #valid = new Set<Hash>()
  #round = NO_ROUND
  #stage: RoundStage = 'waitingForTime'
  #proposal: ProposalMessage | undefined
  /** Why this node may propose in a round above 0. */
  #justification: readonly RoundChangeMessage[] = []
  #certificate: PreparedCertificate | undefined
  /** Whether a quorum of round changes brought the validators together in the current round. */
  #hasMet = false
  /** What this node said in the current round. */
  #own: BftMessage[] = []
  #seals: readonly Uint8Array[] = []

  constructor(core: Surroundings, context: HeightContext) {
    const { rules } = core
    this.#core = core
    this.#rules = rules
    this.#reporter = core.reporter
    this.context = context
    this.isValidator = context.validators.includes(core.address)
    this.#work = new Work(rules.isAnswer)
    this.#clock = new HeightClock(core, context)
    this.#votes = new RoundVotes(rules.collect)
    this.#changes = new RoundChanges(rules)
    this.#ruleContext = ruleContextOf(rules, context)
  }

  start(): void {
    if (!this.isValidator) return
    const record = this.#core.desk.record
    const signed = record?.height === this.context.height ? record : undefined
    this.#certificate = signed?.certificate
    if (signed !== undefined && signed.round > 0) this.#startAgain(signed.round, signed.roundChange)
    else {
      if (this.#rules.roundZero === 'withHeight') this.#enterRound(0, 'newHeight')
      if (this.#rules.roundZero === 'whenDue' || this.#isMyTurn()) this.#clock.armBlockTimer()
    }
  }

  onTimer(timer: TimerName): void {
    if (timer === 'round') this.#onRoundTimer()
    else if (timer === 'import') this.#import()
    else if (!this.#clock.isBlockDue()) this.#clock.armBlockTimer()
    else {
      if (this.#round === NO_ROUND) this.#enterRound(0, 'blockTimer')
      if (this.#round === 0) this.#proposeIfMyTurn()
    }
  }

  onMessage(message: BftMessage): void {
    if (this.#stage === 'importing' || message.signed.payload.round < this.#round) return
    if (message.kind === 'proposal') this.#onProposal(message)
    else if (message.kind === 'roundChange') this.#onRoundChange(message)
    else this.#onVote(message)
  }

  handle(event: Answer): void {
    const { desk, act } = this.#core
    if (event.type === 'peerReconnected') {
      for (const message of this.#own) act({ type: 'send', message, to: event.validator })
    } else if (event.type === 'persisted') {
      const action = desk.persisted(event)
      if (action !== undefined) act(action)
    } else if (event.type === 'signed') {
      const vote = desk.signed(event)
      if (vote !== undefined) this.#onOwn(vote.draft, vote.signed)
    } else if (event.type === 'failed') this.#onFailed(event)
    else if (event.type === 'built' && this.#work.finish('build', event)) this.#onBuilt(event)
    else if (event.type === 'validated' && this.#work.finish('validate', event)) this.#onValidated(event)
    else if (event.type === 'imported') this.#work.finish('import', event)
  }

  #startAgain(round: number, changedRound: boolean): void {
    this.#enterRound(round, 'restart')
    // The change is said again as it was; a certificate of this very round came after it.
    const isSameAsBefore = this.#certificate === undefined || this.#certificate.round < round
    if (changedRound && isSameAsBefore) this.#voteForRound(round)
  }

  #enterRound(round: number, why: RoundCause): void {
    const { height } = this.context
    this.cancelWork()
    this.#votes.dropBelow(round)
    this.#changes.dropBelow(round)
    this.#core.desk.dropBefore({ height, round })
    this.#round = round
    this.#stage = 'waitingForProposal'
    this.#proposal = undefined
    this.#justification = []
    this.#hasMet = why !== 'timeout' && why !== 'someAhead'
    this.#own = []
    this.#core.cancelTimer('block')
    if (round === 0 && !this.#isMyTurn()) this.#clock.startRoundZeroTimer()
    else this.#clock.startRoundTimer(round)
    const proposer = this.#ruleContext.proposerOf(round)
    this.#reporter.report({ kind: 'roundStarted', height, round, why, proposer })
  }

  #changeRound(round: number, why: RoundCause): void {
    if (round > MAX_ROUND) return
    if (this.#stage === 'waitingForCommits') this.#keepCertificate()
    this.#enterRound(round, why)
    this.#voteForRound(round)
    this.#considerRoundChanges(round)
  }

  #onRoundChange(message: RoundChangeMessage): void {
    const problem = this.#rules.roundChangeProblem(message, this.#ruleContext)
    if (problem !== undefined) {
      this.#reporter.refuse(message, problem)
      return
    }
    const added = this.#changes.add(message)
    if (added === 'different') this.#reporter.equivocation(message)
    if (added === 'added') this.#considerRoundChanges(message.signed.payload.round)
  }

  #considerRoundChanges(round: number): void {
    if (this.#changes.count(round) >= this.#ruleContext.quorum) {
      if (round > this.#round) this.#enterRound(round, 'quorum')
      if (round === this.#round) this.#proposeIfMyTurn()
    }
    const validators = this.context.validators.length
    const target = this.#rules.roundOfOthers(this.#changes.all(), Math.max(this.#round, 0), validators)
    if (target !== undefined) this.#changeRound(target, 'someAhead')
    if (!this.#hasMet && this.#changes.authorsFrom(this.#round) >= this.#ruleContext.quorum) this.#meet()
  }

  /**
   * A quorum has come to the round: only now has it begun for all, and gets its full time. Timeouts are equal at their
   * ceiling, so that whoever came first would otherwise leave every round just before the others can use it.
   */
  #meet(): void {
    this.#hasMet = true
    this.#clock.startRoundTimer(this.#round)
  }

  /** Whoever goes on alone is never caught up with: it says again where it is, and waits for the others. */
  #onRoundTimer(): void {
    const { past, now, act } = this.#core
    past.waitOver(now(), this.#rules.roundTimeoutMs(this.context.requestTimeoutMs, this.#round))
    if (this.#hasMet) this.#changeRound(this.#round + 1, 'timeout')
    else {
      for (const message of this.#own) act({ type: 'send', message, to: undefined })
      if (this.#own.length === 0) this.#voteForRound(this.#round)
      this.#clock.startRoundTimer(this.#round)
    }
  }

  #proposeIfMyTurn(): void {
    if (!this.#isMyTurn() || this.#stage !== 'waitingForProposal' || this.#justification.length > 0) return
    const { height, parent } = this.context
    const round = this.#round
    const justification = this.#changes.of(round)
    const best = this.#rules.bestPrepared(justification)
    // What was prepared must be proposed again, and nothing else: until somebody brings the block, nothing is.
    if (best !== undefined && best.block === undefined) return
    this.#justification = justification
    const block = best?.block
    if (block !== undefined) {
      this.#vote({ kind: 'proposal', height, round, block: this.#rules.withRound(block, round) })
      return
    }
    this.#stage = 'building'
    const timestampSeconds = this.#clock.timestampSeconds(round)
    this.#core.act({ type: 'build', ...this.#startWork('build'), parent: parent.hash, timestampSeconds })
  }

  #onBuilt({ block, transactions }: Event & { type: 'built' }): void {
    const mayHoldBack = transactions === 0 && this.#round === 0 && this.#rules.roundZero === 'whenDue'
    if (mayHoldBack && this.#clock.holdsBack()) {
      this.#round = NO_ROUND
      this.#stage = 'waitingForTime'
    } else {
      this.#valid.add(block.hash)
      this.#vote({ kind: 'proposal', height: this.context.height, round: this.#round, block })
    }
  }

  #onProposal(message: ProposalMessage): void {
    const { round } = message.signed.payload
    if (round === this.#round && this.#proposal !== undefined) {
      if (this.#proposal.block.digest !== message.block.digest) this.#reporter.equivocation(message)
      return
    }
    const problem = this.#rules.proposalProblem(message, this.#ruleContext)
    if (problem !== undefined) {
      this.#reporter.refuse(message, problem)
      return
    }
    if (round > this.#round) this.#enterRound(round, 'proposal')
    this.#proposal = message
    if (this.#valid.has(message.block.hash)) this.#accept(message)
    else {
      this.#stage = 'validating'
      this.#core.act({ type: 'validate', ...this.#startWork('validate'), block: message.block })
    }
  }

  #onValidated(event: Event & { type: 'validated' }): void {
    const proposal = this.#proposal
    assert(proposal !== undefined, 'What is validated was proposed.')
    if (event.ok) {
      this.#valid.add(proposal.block.hash)
      this.#accept(proposal)
    } else {
      this.#stage = 'refused'
      this.#reporter.refuse(proposal, event.sentence)
    }
  }

  #accept({ block, signed: { author } }: ProposalMessage): void {
    const { height } = this.context
    this.#core.past.noteVote(block.hash)
    const round = this.#round
    this.#stage = 'waitingForPrepares'
    this.#reporter.report({ kind: 'proposalAccepted', height, round, block: block.hash, author })
    if (this.#rules.proposerPrepares || !this.#isMyTurn()) {
      this.#vote({ kind: 'prepare', height, round, digest: block.digest })
    }
    this.#progress()
  }

  #onVote(message: PrepareMessage | CommitMessage): void {
    const { author, payload } = message.signed
    const isByProposer = author === this.#ruleContext.proposerOf(payload.round)
    if (payload.kind === 'commit' && payload.sealAuthor !== author) {
      this.#reporter.refuse(message, 'Its seal was not made by its author.')
    } else if (payload.kind === 'prepare' && isByProposer && !this.#rules.proposerPrepares) {
      this.#reporter.refuse(message, 'The proposer of a round does not prepare in IBFT 2.0.')
    } else {
      const added = this.#votes.add(message.signed, this.#round)
      if (added === 'different') this.#reporter.equivocation(message)
      if (added === 'added' && payload.round === this.#round) this.#progress()
    }
  }

  #progress(): void {
    if (this.#stage === 'waitingForPrepares') this.#tryToPrepare(this.#proposal as ProposalMessage)
    if (this.#stage === 'waitingForPrepares' || this.#stage === 'waitingForCommits') {
      this.#tryToCommit(this.#proposal as ProposalMessage)
    }
  }

  #tryToPrepare({ block: { digest } }: ProposalMessage): void {
    const { height } = this.context
    const round = this.#round
    if (votesFor(this.#votes.prepares(round), digest).length < this.#ruleContext.preparesNeeded) return
    this.#stage = 'waitingForCommits'
    this.#keepCertificate()
    this.#reporter.report({ kind: 'prepared', height, round, digest })
    this.#vote({ kind: 'commit', height, round, digest })
  }

  /** When the round is left, once more: the reference shows all prepares that have come by then. */
  #keepCertificate(): void {
    const { block, signed } = this.#proposal as ProposalMessage
    const prepares = votesFor(this.#votes.prepares(this.#round), block.digest)
    const proposal = this.#rules.protocol === 'ibft2' ? signed : undefined
    const found = { round: this.#round, block, prepares, proposal }
    this.#certificate = this.#rules.laterCertificate(this.#certificate, found)
  }

  #tryToCommit({ block }: ProposalMessage): void {
    const { height } = this.context
    const round = this.#round
    const commits = votesFor(this.#votes.commits(round), block.digest)
    if (commits.length < this.#ruleContext.quorum) return
    this.#seals = commits.map(({ payload }) => payload.seal)
    this.#reporter.report({ kind: 'committed', height, round, block: block.hash, seals: commits.length })
    this.#core.cancelTimer('round')
    this.#stage = 'importing'
    this.#import()
  }

  #import(): void {
    const { block } = this.#proposal as ProposalMessage
    this.#core.act({ type: 'import', ...this.#startWork('import'), block, seals: this.#seals })
  }

  #vote(draft: Draft): void {
    askToVote(this.#core, draft, this.#certificate)
  }

  #voteForRound(round: number): void {
    const { height } = this.context
    this.#vote({ kind: 'roundChange', height, round, certificate: this.#certificate })
  }

  #onOwn(draft: Draft, signed: Signed<Payload>): void {
    const roundChanges = this.#justification
    const reasons = { roundChanges, best: this.#rules.bestPrepared(roundChanges) }
    const message = ownMessage(draft, signed, reasons, this.#core.generation)
    this.#own.push(message)
    this.#core.act({ type: 'send', message, to: undefined })
    this.onMessage(message)
  }

  #startWork(kind: WorkKind): RequestKey {
    const { height } = this.context
    return this.#work.start(kind, { id: this.#core.nextId(), height, round: this.#round })
  }

  cancelWork(): void {
    const id = this.#work.cancel()
    if (id !== undefined) this.#core.act({ type: 'cancel', id })
  }

  #onFailed(event: Event & { type: 'failed' }): void {
    const failedWork = this.#work.failed(event)
    const what = failedWork ?? this.#core.desk.failed(event)
    if (what === undefined) return
    const { height, round, sentence } = event
    this.#reporter.report({ kind: 'failed', height, round, what, sentence })
    // What a quorum committed is the chain: it is tried until it is in, or comes another way.
    if (failedWork === 'import') this.#core.startTimer('import', IMPORT_RETRY_MS)
    else if (failedWork !== undefined) this.#stage = 'refused'
  }

  #isMyTurn(): boolean {
    return this.#ruleContext.proposerOf(Math.max(this.#round, 0)) === this.#core.address
  }

  snapshot(surroundings: SurroundingSnapshot): CoreSnapshot {
    const { desk, seen, address, past } = this.#core
    return heightSnapshot({
      surroundings,
      context: this.context,
      rules: this.#ruleContext,
      self: address,
      isValidator: this.isValidator,
      round: this.#round,
      stage: this.#stage,
      past,
      desk,
      proposer: this.#proposal?.signed.author,
      prepares: this.#votes.prepares(this.#round),
      commits: this.#votes.commits(this.#round),
      roundChanges: this.#changes.all(),
      preparedRound: this.#certificate?.round,
      seen,
    })
  }
}
