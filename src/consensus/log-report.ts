import type { Log } from '#platform/log/log.ts'
import type { Report } from './bft/events.ts'

type Level = 'error' | 'warn' | 'info' | 'debug'

const LINES: Readonly<Record<Report['kind'], readonly [Level, string]>> = {
  roundStarted: ['debug', 'A round starts.'],
  proposalAccepted: ['debug', 'A proposal is accepted.'],
  prepared: ['debug', 'A proposal is prepared.'],
  committed: ['info', 'A block has a quorum of commits.'],
  refused: ['debug', 'A message is refused.'],
  equivocation: ['warn', 'A validator said two different things in one round.'],
  abstained: ['warn', 'This node does not vote.'],
  failed: ['error', 'Work for consensus failed.'],
  dropped: ['debug', 'Messages of future heights were dropped.'],
}

/** What the machine reports, as lines of the log. A chain that stands still must be explicable from them. */
export function logReport(log: Log, report: Report): void {
  const { kind, ...fields } = report
  const [level, sentence] = LINES[kind]
  const isRetry = report.kind === 'roundStarted' && report.round > 0
  log[isRetry ? 'info' : level](sentence, fields)
}
