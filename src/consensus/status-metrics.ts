/** What `bft_status` tells a person, as numbers for who watches many nodes. */
import type { Clock } from '#platform/clock.ts'
import type { GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import type { BftStatus, QuorumStatus, ValidatorStatus } from './status.ts'

export const IS_VALIDATOR: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'is_validator',
  help: 'Whether this node is one of the validators (1) or not (0)',
}

export const ABSTAINING: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'abstaining',
  help: 'Whether this node is a validator and signs nothing (1) or not (0): so as not to contradict what it may have signed, or since who holds its key does not answer. bft_status says why',
}

export const VALIDATORS: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'validators',
  help: 'Number of validators of the next block',
}

export const QUORUM: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'quorum',
  help: 'Number of validators that must sign a block',
}

export const CONNECTED_VALIDATORS: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'connected_validators',
  help: 'Number of validators that this node is connected to; it counts itself if it is one',
}

export const SILENT_SECONDS: GaugeRow<'validator'> = {
  kind: 'gauge',
  category: 'consensus',
  name: 'silent_seconds',
  help: 'Seconds since this node, a validator, last heard from another one; since its own start where it never did',
  labels: ['validator'],
}

export const CLOCK_AHEAD: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'clock_ahead_seconds',
  help: 'Seconds that the clock of this machine is ahead of the times of the last blocks of several validators; 0 where they do not agree on it',
}

type WatchedStatus = Pick<BftStatus, 'isValidator'> & {
  readonly quorum: Pick<QuorumStatus, 'validators' | 'needed'>
  readonly validators: readonly Pick<ValidatorStatus, 'address' | 'isSelf' | 'isConnected' | 'lastHeardMs'>[]
}

export interface WatchedConsensus {
  /** undefined: the chain was not opened yet. */
  status(): WatchedStatus | undefined
  isAbstaining(): boolean
  clockAheadMs(): number
}

const SECOND_MS = 1_000

export function addStatusMetrics(metrics: Metrics, clock: Clock, consensus: WatchedConsensus): void {
  const startedMs = clock.wallMs()
  const ofStatus = (row: GaugeRow, read: (status: WatchedStatus) => number) =>
    metrics.gaugeOf(row, () => {
      const status = consensus.status()
      return status === undefined ? 0 : read(status)
    })
  ofStatus(IS_VALIDATOR, ({ isValidator }) => Number(isValidator))
  ofStatus(VALIDATORS, ({ quorum }) => quorum.validators)
  ofStatus(QUORUM, ({ quorum }) => quorum.needed)
  ofStatus(
    CONNECTED_VALIDATORS,
    ({ validators }) => validators.filter(({ isConnected }) => isConnected).length,
  )
  metrics.gaugeOf(ABSTAINING, () => Number(consensus.isAbstaining()))
  metrics.gaugeOf(CLOCK_AHEAD, () => consensus.clockAheadMs() / SECOND_MS)
  metrics.gaugesOf(SILENT_SECONDS, () => {
    const status = consensus.status()
    // Validators speak to validators.
    if (!status?.isValidator) return []
    return status.validators
      .filter(({ isSelf }) => !isSelf)
      .map(({ address, lastHeardMs }) => {
        const silentMs = clock.wallMs() - Math.max(lastHeardMs ?? 0, startedMs)
        return [{ validator: address }, Math.max(0, silentMs) / SECOND_MS] as const
      })
  })
}
