import type { Clock } from '#platform/clock.ts'
import type { CounterRow, GaugeRow, Metrics, SummaryRow } from '#platform/metrics/metrics.ts'
import type { Address } from '#types/address.ts'
import type { Report } from './bft/events.ts'
import type { RoundId } from './bft/messages.ts'

export const CONSENSUS_HEIGHT: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'height',
  help: 'Height of the current or last consensus',
}

export const CONSENSUS_ROUND: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'round',
  help: 'Current round; above 0 after a round change',
}

export const ROUND_CHANGES: CounterRow = {
  kind: 'counter',
  category: 'consensus',
  name: 'round_changes',
  help: 'Round changes of this node',
}

export const COMMIT_TIME: SummaryRow = {
  kind: 'summary',
  category: 'consensus',
  name: 'commit_time',
  help: 'Time from an accepted proposal to its commit quorum, in seconds',
}

export const EQUIVOCATIONS: CounterRow<'validator'> = {
  kind: 'counter',
  category: 'consensus',
  name: 'equivocations',
  help: 'Equivocations by validator',
  labels: ['validator'],
}

export const OWN_BLOCKS: CounterRow = {
  kind: 'counter',
  category: 'consensus',
  name: 'own_blocks',
  help: 'Blocks that this node proposed and the network accepted',
}

export const STALLED_SECONDS: GaugeRow = {
  kind: 'gauge',
  category: 'consensus',
  name: 'stalled_seconds',
  help: 'Seconds without a block while a validator is stalled; otherwise 0 (see bft_status)',
}

const SECOND_MS = 1_000

/** Counts the machine's reports. */
export function createConsensusMetrics(
  metrics: Metrics,
  clock: Clock,
  self: Address,
): (report: Report) => void {
  const height = metrics.gauge(CONSENSUS_HEIGHT)
  const round = metrics.gauge(CONSENSUS_ROUND)
  const roundChanges = metrics.counter(ROUND_CHANGES)
  const ownBlocks = metrics.counter(OWN_BLOCKS)
  const commitTime = metrics.summary(COMMIT_TIME)
  const equivocations = metrics.counter(EQUIVOCATIONS)
  let accepted: (RoundId & { readonly atMs: number; readonly author: Address }) | undefined
  return (report) => {
    switch (report.kind) {
      case 'roundStarted':
        height.set(report.height)
        round.set(report.round)
        if (report.round > 0) roundChanges.inc()
        return
      case 'proposalAccepted':
        accepted = { ...report, atMs: clock.monotonicMs() }
        return
      case 'committed':
        if (accepted?.height === report.height && accepted.round === report.round) {
          commitTime.observe((clock.monotonicMs() - accepted.atMs) / SECOND_MS)
          if (accepted.author === self) ownBlocks.inc()
        }
        return
      case 'equivocation':
        equivocations.inc({ validator: report.author })
        return
      default:
    }
  }
}
