import type { Log } from '#platform/log.ts'
import type { Report } from './bft/events.ts'

/** What the machine reports, as lines of the log. A chain that stands still must be explicable from them. */
export function logReport(log: Log, { kind, ...report }: Report): void {
  switch (kind) {
    case 'roundStarted':
      if ('round' in report && report.round > 0) log.info('A round starts.', report)
      else log.debug('A round starts.', report)
      return
    case 'proposalAccepted':
      log.debug('A proposal is accepted.', report)
      return
    case 'prepared':
      log.debug('A proposal is prepared.', report)
      return
    case 'committed':
      log.info('A block has a quorum of commits.', report)
      return
    case 'refused':
      log.debug('A message is refused.', report)
      return
    case 'equivocation':
      log.warn('A validator said two different things in one round.', report)
      return
    case 'abstained':
      log.warn('This node does not vote.', report)
      return
    case 'failed':
      log.error('Work for consensus failed.', report)
      return
    case 'dropped':
      log.debug('Messages of future heights were dropped.', report)
      return
  }
}
