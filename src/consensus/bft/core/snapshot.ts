/** The state of the machine for people to read. */

import type { HeightContext, TimerName } from '#consensus/bft/events.ts'
import type { CommitPayload, PreparePayload, RoundChangePayload, Signed } from '#consensus/bft/messages.ts'
import type { RuleContext } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'
import type { LastHeard, Observations, ObservedRefusal } from './observations.ts'
import type { OwnPast } from './own-past.ts'
import type { SigningDesk } from './signing-desk.ts'

export interface SurroundingSnapshot {
  readonly timers: readonly { readonly timer: TimerName; readonly dueMonotonicMs: number }[]
  readonly future: { readonly messages: number; readonly bytes: number }
}

export interface CoreSnapshot extends SurroundingSnapshot {
  readonly context: HeightContext
  /** -1: the block is not due yet. */
  readonly round: number
  readonly stage: RoundStage
  readonly isValidator: boolean
  /** Below this height the node signs nothing, since votes may be missing from its record. */
  readonly signsFrom: number
  /** It signs nothing since its data directory comes from a backup. */
  readonly waitsAsRestored: boolean
  /** Highest height and round in which this node may have signed. */
  readonly signed: { readonly height: number; readonly round: number } | undefined
  readonly isPersisting: boolean
  readonly proposer: Address
  readonly quorum: number
  readonly preparesNeeded: number
  readonly validators: readonly ValidatorSnapshot[]
  readonly preparedRound: number | undefined
  /** Latest last. */
  readonly refusals: readonly ObservedRefusal[]
}

export type RoundStage =
  | 'waitingForTime'
  | 'building'
  | 'waitingForProposal'
  | 'validating'
  | 'refused'
  | 'waitingForPrepares'
  | 'waitingForCommits'
  | 'importing'

export interface ValidatorSnapshot {
  readonly address: Address
  readonly isSelf: boolean
  /** In the current round. */
  readonly hasProposed: boolean
  readonly hasPrepared: boolean
  readonly hasCommitted: boolean
  /** Highest round it asked for, if above 0. */
  readonly wantsRound: number | undefined
  readonly lastHeard: LastHeard | undefined
}

export interface HeightState {
  readonly surroundings: SurroundingSnapshot
  readonly context: HeightContext
  readonly rules: RuleContext
  readonly self: Address
  readonly isValidator: boolean
  readonly round: number
  readonly stage: RoundStage
  readonly past: Pick<OwnPast, 'maySign' | 'waitsAsRestored'>
  readonly desk: SigningDesk
  /** Of the proposal in hand. */
  readonly proposer: Address | undefined
  readonly prepares: readonly Signed<PreparePayload>[]
  readonly commits: readonly Signed<CommitPayload>[]
  readonly roundChanges: readonly Signed<RoundChangePayload>[]
  readonly preparedRound: number | undefined
  readonly seen: Observations
}

export function heightSnapshot(state: HeightState): CoreSnapshot {
  const { surroundings, context, rules, round, desk, seen } = state
  const { record, isPersisting } = desk
  return {
    ...surroundings,
    context,
    round,
    stage: state.stage,
    isValidator: state.isValidator,
    waitsAsRestored: state.past.waitsAsRestored,
    signsFrom: state.past.maySign ? context.height : context.height + 1,
    signed: record && { height: record.height, round: record.round },
    isPersisting,
    proposer: rules.proposerOf(Math.max(round, 0)),
    quorum: rules.quorum,
    preparesNeeded: rules.preparesNeeded,
    validators: context.validators.map((address) => validatorSnapshot(address, state)),
    preparedRound: state.preparedRound,
    refusals: seen.refusals,
  }
}

function validatorSnapshot(address: Address, state: HeightState): ValidatorSnapshot {
  const isBy = ({ author }: Signed<unknown>) => author === address
  const wanted = state.roundChanges.filter(isBy).map(({ payload }) => payload.round)
  return {
    address,
    isSelf: address === state.self,
    hasProposed: state.proposer === address,
    hasPrepared: state.prepares.some(isBy),
    hasCommitted: state.commits.some(isBy),
    wantsRound: wanted.length === 0 ? undefined : Math.max(...wanted),
    lastHeard: state.seen.lastHeard(address),
  }
}
