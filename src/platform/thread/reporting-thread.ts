import type { Handlers } from '#platform/channel/channel-protocol.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { createMetrics, type Metrics } from '#platform/metrics/metrics.ts'
import type { MetricsSnapshot } from '#platform/metrics/metrics-merge.ts'
import { assert } from '#types/assert.ts'
import type { StarterChannel, TypesOf } from './define-thread.ts'
import { runThread, type ThreadSetup } from './thread-entry.ts'

export interface ReportingContext<Definition> {
  readonly data: TypesOf<Definition>['data']
  /** Follows the log levels of the node. */
  readonly log: RootLog
  /** Merged into the metrics of the node. */
  readonly metrics: Metrics
  /** The channel to whoever started this thread; once. `snapshot`: in place of that of `metrics`. */
  connect(
    handlers: Handlers<TypesOf<Definition>['offers']>,
    snapshot?: () => Promise<MetricsSnapshot>,
  ): StarterChannel<Definition>
}

/** `runThread` for a thread with a log and metrics of its own; threads.ts starts it. */
export function runReportingThread<Definition>(setup: ThreadSetup<ReportingContext<Definition>>): void {
  runThread<Definition>(({ data, reporting, connect }) => {
    assert(reporting !== undefined, 'threads.ts says how a thread logs and counts.')
    const log = createLog(reporting.log)
    const metrics = createMetrics({ prefix: reporting.metricsPrefix, onSourceError: () => undefined })
    const onError = (err: unknown): void => log.error('The channel to the main thread failed.', { err })
    return setup({
      data,
      log,
      metrics,
      connect: (handlers, snapshot = metrics.snapshot) =>
        connect(handlers, onError, { log: () => log, snapshot }),
    })
  })
}
