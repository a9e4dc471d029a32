/**
 * One height: rounds until a block has a quorum of commits. A round begins when its block is due, when a quorum asks for it,
 * when more validators than can be faulty ask for a higher one, or with a justified proposal. agreement.ts handles the proposal
 * of a round.
 */
import type {
  Delivery,
  Event,
  HeightContext,
  Report,
  RequestKey,
  RoundCause,
  TimerName,
} from '#consensus/bft/events.ts'
import {
  type BftMessage,
  type CommitPayload,
  type Draft,
  MAX_ROUND,
  type Payload,
  type PreparedCertificate,
  type PreparePayload,
  type ProposalMessage,
  type ProposalPayload,
  type ProposedBlock,
  type RoundChangeMessage,
  type RoundChangePayload,
  type Signed,
  type WireGeneration,
} from '#consensus/bft/messages.ts'
import { type BftRules, type RuleContext, ruleContextOf } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'
import { toleratedFaults } from '#types/block/bft-quorum.ts'
import { Agreement } from './agreement.ts'
import { ClaimChecks } from './claim-checks.ts'
import type { CoreState, SurroundingState, ValidatorState } from './core-state.ts'
import { HeightClock } from './height-clock.ts'
import type { Surroundings } from './machine.ts'
import type { Reporter } from './observations.ts'
import { RoundChanges } from './round-changes.ts'
import { ValidBlocks } from './valid-blocks.ts'
import { Work, type WorkKind } from './work.ts'

/** Delivery of own messages, which the others already have. */
const OWN_DELIVERY: Delivery = { from: 'self', passOn: () => {} }
/** The block is not due yet. */
const NO_ROUND = -1

/** Messages that carry a justification. */
type Justified = ProposalMessage | RoundChangeMessage
type Answer = Exclude<Event, { type: 'headMoved' | 'message' | 'timer' }>

export class Height {
  readonly context: HeightContext
  readonly isValidator: boolean
  readonly #core: Surroundings
  readonly #rules: BftRules
  readonly #reporter: Reporter
  readonly #ruleContext: RuleContext
  readonly #changes: RoundChanges
  readonly #checks: ClaimChecks
  readonly #valid: ValidBlocks
  readonly #work: Work
  readonly #clock: HeightClock
  readonly #agreement: Agreement
  #round = NO_ROUND
  /** The justification for a proposal above round 0. */
  #justification: readonly RoundChangeMessage[] = []
  /** Whether a quorum of round changes, received or in a proposal, brought the validators together in this round. */
  #hasMet = false
  /** Own messages of the current round. */
  #own: BftMessage[] = []

  constructor(core: Surroundings, context: HeightContext) {
    const { rules } = core
    this.#core = core
    this.#rules = rules
    this.#reporter = core.reporter
    this.context = context
    this.isValidator = context.validators.includes(core.address)
    this.#work = new Work(rules.isAnswer)
    this.#clock = new HeightClock(core, context)
    this.#changes = new RoundChanges(rules)
    this.#valid = new ValidBlocks(rules.isSameBlock)
    this.#ruleContext = ruleContextOf(rules, context)
    this.#checks = new ClaimChecks({
      rules,
      validate: (block) => this.#askAbout(block),
      cancel: (id) => core.act({ type: 'cancel', id }),
    })
    this.#agreement = new Agreement(
      {
        core,
        context,
        ruleContext: this.#ruleContext,
        valid: this.#valid,
        startWork: (kind) => this.#startWork(kind),
        sign: (draft) => this.#sign(draft),
        isMyTurn: () => this.#isMyTurn(),
        giveUp: () => this.#changeRound(this.#round + 1, 'importRefused'),
      },
      NO_ROUND,
    )
  }

  start(): void {
    if (!this.isValidator) return
    const entry = this.#core.signing.entry
    const signed = entry?.height === this.context.height ? entry : undefined
    this.#agreement.restore(signed?.certificate)
    if (signed !== undefined && signed.round > 0) this.#startAgain(signed.round, signed.roundChange)
    else {
      if (this.#rules.roundZero === 'withHeight') this.#enterRound(0, 'newHeight')
      if (this.#rules.roundZero === 'whenDue' || this.#isMyTurn()) this.#clock.armBlockTimer(this.#isMyTurn())
    }
  }

  onTimer(timer: TimerName): void {
    if (timer === 'round') this.#onRoundTimer()
    else if (timer === 'import') this.#agreement.import()
    else if (!this.#clock.isBlockDue()) this.#clock.armBlockTimer(this.#isMyTurn())
    else {
      if (this.#round === NO_ROUND) this.#enterRound(0, 'blockTimer')
      if (this.#round === 0) this.#proposeIfMyTurn()
    }
  }

  onMessage(message: BftMessage, delivery: Delivery): void {
    const isOver = this.#agreement.stage === 'importing' || message.signed.payload.round < this.#round
    if (message.kind === 'prepare' || message.kind === 'commit') {
      delivery.passOn()
      if (!isOver) this.#agreement.onPrepareOrCommit(message)
    } else if (isOver) {
      if (this.#problemOf(message) === undefined) this.#passOn(message, delivery)
    } else if (message.kind === 'proposal') this.#onProposal(message, delivery)
    else this.#onRoundChange(message, delivery)
  }

  handle(event: Answer): void {
    const { signing, act } = this.#core
    if (event.type === 'peerReconnected') {
      for (const message of this.#own) act({ type: 'send', message, to: event.validator })
    } else if (event.type === 'persisted') {
      const action = signing.persisted(event)
      if (action !== undefined) act(action)
    } else if (event.type === 'signed') {
      const answered = signing.signed(event)
      if (answered !== undefined) this.#onOwn(answered.draft, answered.signed)
    } else if (event.type === 'failed') this.#onFailed(event)
    else if (event.type === 'importRefused') this.#onImportRefused(event)
    else if (event.type === 'built' && this.#work.finish('build', event)) this.#onBuilt(event)
    else if (event.type === 'validated') this.#onValidated(event)
    else if (event.type === 'imported') this.#work.finish('import', event)
  }

  #problemOf(message: Justified): string | undefined {
    return message.kind === 'proposal'
      ? this.#rules.proposalProblem(message, this.#ruleContext)
      : this.#rules.roundChangeProblem(message, this.#ruleContext)
  }

  /**
   * Gossips a valid message. No signature covers the justification, so without the check anyone could make all nodes relay any
   * number of false variants. A block with an unsigned body is only relayed after validation.
   */
  #passOn(message: Justified, delivery: Delivery): void {
    const isCovered = message.kind === 'proposal' && this.#rules.proposalCoversBody
    if (message.block === undefined || isCovered || this.#valid.has(message.block)) delivery.passOn()
  }

  #startAgain(round: number, changedRound: boolean): void {
    this.#enterRound(round, 'restart')
    // The round change is repeated as signed; a certificate of the same round is newer than it.
    const { certificate } = this.#agreement
    const isSameAsBefore = certificate === undefined || certificate.round < round
    if (changedRound && isSameAsBefore) this.#signRoundChange(round)
  }

  #enterRound(round: number, why: RoundCause): void {
    const { height, validators } = this.context
    const wereThere = this.#changes.count(this.#round) > toleratedFaults(validators.length)
    this.#core.past.leaveRound(this.#core.now(), this.#clock.timeoutMs(this.#round), wereThere)
    this.#cancelRound()
    this.#agreement.enter(round)
    this.#changes.dropBelow(round)
    this.#checks.dropBelow(round)
    this.#core.signing.dropBefore({ height, round })
    this.#round = round
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
    this.#agreement.leave()
    this.#enterRound(round, why)
    this.#signRoundChange(round)
    this.#considerRoundChanges(round)
  }

  #onRoundChange(message: RoundChangeMessage, delivery: Delivery): void {
    const problem = this.#problemOf(message)
    if (problem !== undefined) {
      this.#reporter.refuse(message, problem)
      return
    }
    this.#passOn(message, delivery)
    if (message.block === undefined || this.#valid.has(message.block)) this.#count(message)
    else if (!this.#checks.add(message, message.block, delivery)) {
      this.#reporter.refuse(message, 'Its peer sent more blocks than are validated at once.')
    }
  }

  #count(message: RoundChangeMessage): void {
    const added = this.#changes.add(message)
    if (added === 'different') this.#reporter.equivocation(message)
    if (added === 'added') this.#considerRoundChanges(message.signed.payload.round)
  }

  #onValidated(event: Event & { type: 'validated' }): void {
    if (this.#work.finish('validate', event)) {
      this.#agreement.onValidated(event)
      return
    }
    const checked = this.#checks.finish(event)
    if (checked === undefined) return
    if (event.ok) this.#valid.add(checked.block)
    for (const { message, delivery } of checked.waiting) {
      if (event.ok) delivery.passOn()
      else this.#reporter.refuse(message, `Its block is refused. ${event.sentence}`)
      const isCurrent = this.#agreement.stage !== 'importing' && message.signed.payload.round >= this.#round
      if (isCurrent && this.#rules.isProven(event.ok)) this.#count(message)
    }
  }

  #considerRoundChanges(round: number): void {
    if (this.#changes.count(round) >= this.#ruleContext.quorum) {
      if (round > this.#round) this.#enterRound(round, 'quorum')
      if (round === this.#round) this.#proposeIfMyTurn()
    }
    const { length } = this.context.validators
    const target = this.#rules.roundOfOthers(this.#changes.all(), Math.max(this.#round, 0), length)
    if (target !== undefined) this.#changeRound(target, 'someAhead')
    if (!this.#hasMet && this.#changes.authorsFrom(this.#round) >= this.#ruleContext.quorum) this.#meet()
  }

  /**
   * A quorum has reached the round, so it begins for all of them and gets its full time. Timeouts are equal at their ceiling,
   * so the first validator would otherwise leave every round just before the others can use it.
   */
  #meet(): void {
    this.#hasMet = true
    this.#clock.startRoundTimer(this.#round)
  }

  /** A validator must not run ahead of the others: it repeats its messages and waits for them. */
  #onRoundTimer(): void {
    const { past, now, act } = this.#core
    past.waitOver(now(), this.#clock.timeoutMs(this.#round))
    if (this.#hasMet) this.#changeRound(this.#round + 1, 'timeout')
    else {
      for (const message of this.#own) act({ type: 'send', message, to: undefined })
      if (this.#own.length === 0) this.#signRoundChange(this.#round)
      this.#checks.askAgain()
      this.#clock.startRoundTimer(this.#round)
    }
  }

  #proposeIfMyTurn(): void {
    if (!this.#isMyTurn() || this.#agreement.stage !== 'waitingForProposal') return
    if (this.#justification.length > 0) return
    const justification = this.#changes.of(this.#round)
    const best = this.#rules.bestPrepared(justification)
    // A prepared block must be proposed again. Without the block, nothing is proposed.
    if (best !== undefined && best.block === undefined) return
    this.#justification = justification
    if (best?.block !== undefined) {
      this.#propose(best.block)
      return
    }
    this.#agreement.stage = 'building'
    const timestampSeconds = this.#clock.timestampSeconds(this.#round)
    const { hash } = this.context.parent
    this.#core.act({ type: 'build', ...this.#startWork('build'), parent: hash, timestampSeconds })
  }

  #onBuilt({ block, transactions }: Event & { type: 'built' }): void {
    const mayHoldBack = transactions === 0 && this.#round === 0 && this.#rules.roundZero === 'whenDue'
    if (mayHoldBack && this.#clock.holdsBack()) {
      this.#round = NO_ROUND
      this.#agreement.withdraw(NO_ROUND)
    } else {
      this.#valid.add(block)
      this.#propose(block)
    }
  }

  #propose(block: ProposedBlock): void {
    const round = this.#round
    const sent = this.#core.formChoice.formOf(block, round, this.#justification)
    this.#sign({ kind: 'proposal', height: this.context.height, round, block: sent })
  }

  #onProposal(message: ProposalMessage, delivery: Delivery): void {
    const { round } = message.signed.payload
    if (round === this.#round && !this.#agreement.wants(message, delivery)) return
    const problem = this.#problemOf(message)
    if (problem !== undefined) {
      this.#reporter.refuse(message, problem)
      return
    }
    this.#passOn(message, delivery)
    this.#core.formChoice.hearProposal(message)
    if (round > this.#round) this.#enterRound(round, 'proposal')
    else if (!this.#hasMet) this.#meet()
    this.#agreement.onProposal(message, delivery)
  }

  #sign(draft: Draft): void {
    askToSign(this.#core, draft, this.#agreement.certificate)
  }

  #signRoundChange(round: number): void {
    const { height } = this.context
    this.#sign({ kind: 'roundChange', height, round, certificate: this.#agreement.certificate })
  }

  #onOwn(draft: Draft, signed: Signed<Payload>): void {
    const roundChanges = this.#justification
    const reasons = { roundChanges, best: this.#rules.bestPrepared(roundChanges) }
    const message = ownMessage(draft, signed, reasons, this.#core.generation)
    this.#own.push(message)
    this.#core.act({ type: 'send', message, to: undefined })
    this.onMessage(message, OWN_DELIVERY)
  }

  #startWork(kind: WorkKind): RequestKey {
    return this.#work.start(kind, this.#newKey())
  }

  #askAbout(block: ProposedBlock): RequestKey {
    const key = this.#newKey()
    this.#core.act({ type: 'validate', ...key, block })
    return key
  }

  #newKey(): RequestKey {
    return { id: this.#core.nextId(), height: this.context.height, round: this.#round }
  }

  /** Called when the height is over. */
  cancelWork(): void {
    this.#cancelRound()
    this.#checks.dropBelow(Number.POSITIVE_INFINITY)
  }

  #cancelRound(): void {
    const id = this.#work.cancel()
    if (id !== undefined) this.#core.act({ type: 'cancel', id })
  }

  #onFailed(event: Event & { type: 'failed' }): void {
    const failedWork = this.#work.failed(event)
    const what = failedWork ?? (this.#checks.failed(event) ? 'validate' : this.#core.signing.failed(event))
    if (what === undefined) return
    this.#reportFailure(what, event)
    if (failedWork === 'import') this.#agreement.onImportFailed()
    else if (failedWork !== undefined) this.#agreement.onWorkFailed()
  }

  #onImportRefused(event: Event & { type: 'importRefused' }): void {
    if (!this.#work.finish('import', event)) return
    this.#reportFailure('import', event)
    this.#agreement.onImportRefused()
  }

  #reportFailure(
    what: Failure['what'],
    { height, round, sentence }: RequestKey & { sentence: string },
  ): void {
    this.#reporter.report({ kind: 'failed', height, round, what, sentence })
  }

  #isMyTurn(): boolean {
    return this.#ruleContext.proposerOf(Math.max(this.#round, 0)) === this.#core.address
  }

  state(surroundings: SurroundingState): CoreState {
    const { context, isValidator } = this
    const { signing, seen, past } = this.#core
    const { proposerOf, quorum, preparesNeeded } = this.#ruleContext
    return {
      ...surroundings,
      context,
      round: this.#round,
      stage: this.#agreement.stage,
      isValidator,
      waitsAsRestored: past.waitsAsRestored,
      signsFrom: past.maySign ? context.height : context.height + 1,
      signed: signing.entry && { height: signing.entry.height, round: signing.entry.round },
      isPersisting: signing.isPersisting,
      proposer: proposerOf(Math.max(this.#round, 0)),
      quorum,
      preparesNeeded,
      validators: context.validators.map((address) => this.#validatorState(address)),
      preparedRound: this.#agreement.certificate?.round,
      refusals: seen.refusals,
    }
  }

  #validatorState(address: Address): ValidatorState {
    const isBy = ({ author }: Signed<unknown>) => author === address
    const wanted = this.#changes.all().filter(isBy)
    return {
      address,
      isSelf: address === this.#core.address,
      hasProposed: this.#agreement.proposal?.signed.author === address,
      hasPrepared: this.#agreement.prepares().some(isBy),
      hasCommitted: this.#agreement.commits().some(isBy),
      wantsRound: wanted.length === 0 ? undefined : Math.max(...wanted.map(({ payload }) => payload.round)),
      lastHeard: this.#core.seen.lastHeard(address),
    }
  }
}

type Failure = Report & { readonly kind: 'failed' }

interface ProposalReasons {
  /** The quorum that asked for the round; empty in round 0. */
  readonly roundChanges: readonly RoundChangeMessage[]
  /** The round change whose block is proposed again. */
  readonly best: RoundChangeMessage | undefined
}

/** Adds the unsigned parts to a signed payload. */
function ownMessage(
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
        // In IBFT 2.0 the certificate is part of the signed payload.
        prepares: certificate && certificate.proposal === undefined ? certificate.prepares : [],
        generation,
      }
    }
  }
}

/** Requests a signature, or reports why this node abstains. */
function askToSign(
  {
    signing,
    past,
    act,
    nextId,
    reporter,
  }: Pick<Surroundings, 'signing' | 'past' | 'act' | 'nextId' | 'reporter'>,
  draft: Draft,
  certificate: PreparedCertificate | undefined,
): void {
  const { height, round, kind } = draft
  const isWaiting = !past.maySign
  const action = isWaiting ? undefined : signing.ask(draft, certificate, nextId())
  if (action !== undefined) {
    act(action)
    return
  }
  const sentence = isWaiting ? WAITING : againstSignatureLog(signing.entry?.height ?? 0, height)
  reporter.report({ kind: 'abstained', height, round, what: kind, sentence })
}

const WAITING =
  'The votes file is missing or older than the chain: this node signs nothing until the others have produced a block. If all validators were restored like this, start them with --bft-sign-without-votes.'

/** If the chain is behind the signature log, it lost blocks that someone must restore. */
function againstSignatureLog(signed: number, height: number): string {
  if (signed <= height) return 'It contradicts an earlier signature of this node.'
  return (
    `It contradicts an earlier signature of this node, for block ${signed}: the chain ends below block ${height} and has ` +
    'lost blocks (a damaged disk, an old backup, a rewound head). Import or sync them from another ' +
    'node. If no node has them, stop all validators, move the file votes out of their data directories, and start them ' +
    'with --bft-sign-without-votes.'
  )
}
