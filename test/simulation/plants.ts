/** Mistakes to plant in every honest validator, each of which the simulator must catch. */
import { emptyEntry } from '#consensus/bft/record-signature.ts'
import type { BftRules } from '#consensus/bft/rules.ts'

export interface Plant {
  readonly mistake: string
  /** It is caught within this many seeds. */
  readonly seeds: number
  /** The simulation of seed 1 that shows it, which the gate tries first; unset if one of the first few does. */
  readonly shownBy?: number
  readonly rules?: (rules: BftRules) => Partial<BftRules>
  /** The driver reports an entry as durable before it is. */
  readonly answersEarly?: true
  /** A refused proposal is treated as valid. */
  readonly acceptsRefused?: true
  /** Only networks with few links expose it. */
  readonly isLinked?: true
  /** A waiting relay is never sent. */
  readonly relaysNeverDue?: true
  /** Every relay counts as one of round 0, so it may wait. */
  readonly relaysAllWait?: true
  /** Only composing attackers expose it. */
  readonly isAttacked?: true
  /** Only validators restored with an older data directory expose it. */
  readonly isRestored?: true
  /** The driver keeps a timer that the machine replaced. */
  readonly keepsTimers?: true
  /** A damaged signature log is read as an empty one. */
  readonly ignoresLoss?: true
  /** Validators sign at once with any log. */
  readonly signsWithoutLog?: true
}

export const PLANTS: Readonly<Record<string, Plant>> = {
  'quorum-off-by-one': {
    mistake: 'one commit too few decides',
    seeds: 20,
    rules: ({ quorum }) => ({ quorum: (validators) => Math.max(1, quorum(validators) - 1) }),
  },
  'prepares-off-by-one': {
    mistake: 'one prepare too few makes a block prepared',
    seeds: 20,
    rules: ({ preparesNeeded }) => ({
      preparesNeeded: (validators) => Math.max(0, preparesNeeded(validators) - 1),
    }),
  },
  'certificate-unchecked': {
    mistake: 'proposals need no justification',
    seeds: 40,
    shownBy: 15,
    rules: () => ({ proposalProblem: () => undefined }),
  },
  'round-change-unchecked': {
    mistake: 'round changes need no proof',
    seeds: 200,
    rules: () => ({ roundChangeProblem: () => undefined }),
  },
  'wrong-digest': {
    mistake: 'a block that is proposed again keeps its old round',
    seeds: 40,
    shownBy: 8,
    rules: () => ({ sentForm: (block) => block }),
  },
  'timer-without-ceiling': {
    mistake: 'the round timer grows without a limit',
    seeds: 100,
    rules: () => ({ roundTimeoutMs: (requestTimeoutMs, round) => requestTimeoutMs * 1_000 ** round }),
  },
  'timer-never-reset': {
    mistake: 'a replaced timer still fires',
    seeds: 300,
    shownBy: 63,
    keepsTimers: true,
  },
  'message-counted-twice': {
    mistake: 'a message counts as often as it arrives',
    seeds: 20,
    rules: () => ({ collect: (messages, message) => [...messages, message] }),
  },
  'prepared-round-ignored': {
    mistake: 'a proposer forgets the prepared block',
    seeds: 40,
    rules: () => ({ bestPrepared: () => undefined }),
  },
  'certificate-not-kept': {
    mistake: 'a validator forgets that it was prepared',
    seeds: 200,
    rules: () => ({ laterCertificate: () => undefined }),
  },
  'oldest-certificate-kept': {
    mistake: 'a validator sends its first certificate instead of its last',
    seeds: 200,
    shownBy: 52,
    rules: () => ({ laterCertificate: (kept, found) => kept ?? found }),
  },
  'stale-answer-accepted': {
    mistake: 'an answer counts for any pending request',
    seeds: 200,
    shownBy: 60,
    rules: () => ({ isAnswer: () => true }),
  },
  'sign-before-persist': {
    mistake: 'messages are sent before their signatures are durable',
    seeds: 200,
    shownBy: 8,
    answersEarly: true,
  },
  'signatures-forgotten': {
    mistake: 'a message is signed regardless of earlier signatures',
    seeds: 100,
    rules: ({ recordSignature }) => ({
      recordSignature: (_record, draft, certificate) => recordSignature(undefined, draft, certificate),
    }),
  },
  'older-round-signed': {
    mistake: 'an entry lacks the round, so an abandoned round is signed again after a restart',
    seeds: 100,
    rules: ({ recordSignature }) => ({
      recordSignature: (_record, draft, certificate) => {
        const recorded = recordSignature(undefined, draft, certificate)
        return (
          recorded && { ...emptyEntry({ height: draft.height, round: 0 }), certificate: recorded.certificate }
        )
      },
    }),
  },
  'loss-ignored': {
    mistake: 'a damaged signature log counts as an empty one',
    seeds: 250,
    shownBy: 79,
    isRestored: true,
    ignoresLoss: true,
  },
  'restored-unnoticed': {
    mistake: 'a validator that returns from a backup signs at once',
    seeds: 100,
    shownBy: 44,
    isRestored: true,
    signsWithoutLog: true,
  },
  'any-round-followed': {
    mistake: 'one validator alone moves the others to its round',
    seeds: 100,
    rules: () => ({
      roundOfOthers: (roundChanges, round) => {
        const highest = Math.max(0, ...roundChanges.map(({ payload }) => payload.round))
        return highest > round ? highest : undefined
      },
    }),
  },
  'strangers-heard': {
    mistake: 'messages of non-validators count',
    seeds: 60,
    isAttacked: true,
    rules: () => ({ isMember: () => true }),
  },
  'justification-unproven': {
    mistake: 'the prepares in a justification are not verified',
    seeds: 200,
    shownBy: 17,
    isAttacked: true,
    rules: ({ proposalProblem, protocol }) => ({
      proposalProblem: (message, context) =>
        proposalProblem(
          protocol === 'qbft' ? { ...message, prepares: [] } : message,
          protocol === 'qbft' ? { ...context, preparesNeeded: 0 } : context,
        ),
    }),
  },
  'seal-of-another': {
    mistake: 'a commit counts regardless of the signer of its seal',
    seeds: 60,
    isAttacked: true,
    rules: ({ prepareOrCommitProblem }) => ({
      prepareOrCommitProblem: (message, context) =>
        message.kind === 'commit' ? undefined : prepareOrCommitProblem(message, context),
    }),
  },
  'proposal-out-of-turn': {
    mistake: 'any node may propose',
    seeds: 60,
    isAttacked: true,
    rules: ({ proposalProblem }) => ({
      proposalProblem: (message, context) =>
        proposalProblem(message, { ...context, proposerOf: () => message.signed.author }),
    }),
  },
  'refused-proposal-prepared': {
    mistake: 'a proposal is prepared although its block was refused',
    seeds: 20,
    isAttacked: true,
    acceptsRefused: true,
  },
  'body-by-hash': {
    mistake: 'a block is identified by its hash, regardless of its body',
    seeds: 60,
    isAttacked: true,
    rules: () => ({ isSameBlock: () => true }),
  },
  'claim-unshown': {
    mistake: 'a round change counts although its claimed block cannot be proven',
    seeds: 150,
    shownBy: 23,
    isAttacked: true,
    rules: () => ({ isProven: () => true }),
  },
  'relay-never-sent': {
    mistake: 'a relay that waits is never sent, in any round',
    seeds: 60,
    shownBy: 12,
    isLinked: true,
    relaysNeverDue: true,
    relaysAllWait: true,
  },
  'relay-never-sent-at-first': {
    mistake: 'a relay that waits is never sent in round 0, so heights need a later round',
    seeds: 60,
    shownBy: 2,
    isLinked: true,
    relaysNeverDue: true,
  },
  'turns-not-taken': {
    mistake: 'the same validator proposes in every round',
    seeds: 20,
    rules: ({ proposer }) => ({ proposer: (context) => proposer(context, 0) }),
  },
}
