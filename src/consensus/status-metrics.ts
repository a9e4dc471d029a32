/** The content of `bft_status` as metrics, for monitoring many nodes. */
import type { Clock } from '#platform/clock.ts'
import { type GaugeRow, Gauges, type Metrics } from '#platform/metrics/metrics.ts'
import type { BftStatus, QuorumStatus, ValidatorStatus } from './status.ts'

type WatchedStatus = Pick<BftStatus, 'self' | 'isValidator'> & {
  readonly quorum: Pick<QuorumStatus, 'validators' | 'needed'>
  readonly validators: readonly Pick<ValidatorStatus, 'address' | 'isSelf' | 'isConnected' | 'lastHeardMs'>[]
}

export interface WatchedConsensus {
  /** Undefined until the chain is open. */
  status(): WatchedStatus | undefined
  isAbstaining(): boolean
  clockAheadMs(): number
}

const SECOND_MS = 1_000

export const STATUS_GAUGES = new Gauges<WatchedConsensus>('consensus')

export const IS_VALIDATOR = STATUS_GAUGES.declare({
  name: 'is_validator',
  help: '1 if this node is a validator, otherwise 0',
  read: ({ status }) => Number(status()?.isValidator ?? false),
})

export const VALIDATORS = STATUS_GAUGES.declare({
  name: 'validators',
  help: 'Validators of the next block',
  read: ({ status }) => status()?.quorum.validators ?? 0,
})

export const QUORUM = STATUS_GAUGES.declare({
  name: 'quorum',
  help: 'Validators that must sign a block',
  read: ({ status }) => status()?.quorum.needed ?? 0,
})

export const CONNECTED_VALIDATORS = STATUS_GAUGES.declare({
  name: 'connected_validators',
  help: 'Connected validators, including this node',
  read: ({ status }) => status()?.validators.filter(({ isConnected }) => isConnected).length ?? 0,
})

export const ABSTAINING = STATUS_GAUGES.declare({
  name: 'abstaining',
  help: '1 if this validator abstains from signing, otherwise 0 (see bft_status)',
  read: ({ isAbstaining }) => Number(isAbstaining()),
})

export const SILENT_SECONDS: GaugeRow<'validator'> = {
  kind: 'gauge',
  category: 'consensus',
  name: 'silent_seconds',
  help: 'Seconds since this validator heard another one, or since its start',
  labels: ['validator'],
}

export const IDENTITY: GaugeRow<'validator'> = {
  kind: 'gauge',
  category: 'consensus',
  name: 'identity',
  help: 'Always 1, with the address of this node as label',
  labels: ['validator'],
}

export const CLOCK_AHEAD = STATUS_GAUGES.declare({
  name: 'clock_ahead_seconds',
  help: 'Seconds that the system clock is ahead of recent blocks; 0 if validators disagree',
  read: ({ clockAheadMs }) => clockAheadMs() / SECOND_MS,
})

export function addStatusMetrics(metrics: Metrics, clock: Clock, consensus: WatchedConsensus): void {
  const startedMs = clock.wallMs()
  STATUS_GAUGES.readFrom(consensus, metrics)
  metrics.gaugesOf(IDENTITY, () => {
    const self = consensus.status()?.self
    return self === undefined ? [] : [[{ validator: self }, 1] as const]
  })
  metrics.gaugesOf(SILENT_SECONDS, () => {
    const status = consensus.status()
    // Only validators exchange consensus messages.
    if (!status?.isValidator) return []
    return status.validators
      .filter(({ isSelf }) => !isSelf)
      .map(({ address, lastHeardMs }) => {
        const silentMs = clock.wallMs() - Math.max(lastHeardMs ?? 0, startedMs)
        return [{ validator: address }, Math.max(0, silentMs) / SECOND_MS] as const
      })
  })
}
