/** A readable copy of the machine's state. */

import type { HeightContext, TimerName } from '#consensus/bft/events.ts'
import type { Address } from '#types/address.ts'
import type { LastHeard, ObservedRefusal } from './observations.ts'

export interface SurroundingState {
  readonly timers: readonly { readonly timer: TimerName; readonly dueMonotonicMs: number }[]
  readonly future: { readonly messages: number; readonly bytes: number }
}

export interface CoreState extends SurroundingState {
  readonly context: HeightContext
  /** -1 if the block is not due yet. */
  readonly round: number
  readonly stage: RoundStage
  readonly isValidator: boolean
  /** The first height at which the node signs; below it, signatures may be missing from its log. */
  readonly signsFrom: number
  /** Whether the node abstains because its data directory comes from a backup. */
  readonly waitsAsRestored: boolean
  /** The highest height and round in which this node may have signed. */
  readonly signed: { readonly height: number; readonly round: number } | undefined
  readonly isPersisting: boolean
  readonly proposer: Address
  readonly quorum: number
  readonly preparesNeeded: number
  readonly validators: readonly ValidatorState[]
  readonly preparedRound: number | undefined
  /** The latest comes last. */
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

export interface ValidatorState {
  readonly address: Address
  readonly isSelf: boolean
  /** In the current round. */
  readonly hasProposed: boolean
  readonly hasPrepared: boolean
  readonly hasCommitted: boolean
  /** The highest round it asked for, if above 0. */
  readonly wantsRound: number | undefined
  readonly lastHeard: LastHeard | undefined
}
