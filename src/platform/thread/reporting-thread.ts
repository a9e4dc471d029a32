import type { Handlers } from '#platform/channel/channel-protocol.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { createMetrics, type Metrics } from '#platform/metrics/metrics.ts'
import type { MetricsData } from '#platform/metrics/metrics-merge.ts'
import { assert } from '#types/assert.ts'
import type { StarterChannel, TypesOf } from './define-thread.ts'
import { runThread, type ThreadSetup } from './thread-entry.ts'

export interface ReportingContext<Definition> {
  readonly data: TypesOf<Definition>['data']
  /** Follows the node's log levels. */
  readonly log: RootLog
  /** Merged into the node's metrics. */
  readonly metrics: Metrics
  /** Opens the channel to this thread's starter, once. `sample` replaces the metrics of `metrics`. */
  connect(
    handlers: Handlers<TypesOf<Definition>['offers']>,
    sample?: () => Promise<MetricsData>,
  ): StarterChannel<Definition>
  /** Ends the thread with this error, after the current turn of the event loop. */
  fail(error: Error): void
}

/** `runThread` for a thread with its own log and metrics, started by threads.ts. */
export function runReportingThread<Definition>(
  setup: ThreadSetup<ReportingContext<Definition>>,
): ReturnType<typeof runThread<Definition>> {
  return runThread<Definition>(({ data, reporting, connect, fail }) => {
    assert(reporting !== undefined, 'threads.ts says how a thread logs and counts.')
    const log = createLog(reporting.log)
    const metrics = createMetrics({ prefix: reporting.metricsPrefix, onSourceError: () => undefined })
    const onError = (err: unknown): void => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'main', err })
    return setup({
      data,
      log,
      metrics,
      fail,
      connect: (handlers, sample = metrics.sample) => connect(handlers, onError, { log: () => log, sample }),
    })
  })
}
