import { onInterrupt } from '#cli/interrupt.ts'
import { logFailure } from '#cli/log-failure.ts'
import { CLI_PROBLEMS } from '#cli/log-problems.ts'
import { doctorRoom, type OptionSource } from '#doctor/doctor-thread.ts'
import { readLogOptions } from '#node/log-settings.ts'
import type { ConfiguredNode } from '#node/plugins/load-plugins.ts'
import { startNode } from '#node/start.ts'
import { repeat, systemClock } from '#platform/clock.ts'
import { createLog, type RootLog } from '#platform/log/log.ts'
import { optimizeLater } from '#platform/optimize-later.ts'
import type { PreparedThreads } from '#platform/thread/thread.ts'
import { Fault } from '#types/fault.ts'

/** Keeps the event loop alive for a node without sockets. */
const DAY_MS = 86_400_000

/** Runs the node until it is stopped. */
export async function run(
  node: ConfiguredNode,
  source: OptionSource,
  prepared: PreparedThreads,
): Promise<void> {
  const log = createLog(readLogOptions(node.settings))
  try {
    await runNode(node, source, log, prepared)
  } catch (error) {
    throw logFailure(error, log)
  }
}

async function runNode(
  { settings, plugins, reread }: ConfiguredNode,
  source: OptionSource,
  log: RootLog,
  prepared: PreparedThreads,
): Promise<void> {
  const say = log.child('cairn')
  // Registered before the start: a node answers requests, and can be stopped, before its last service is up.
  const interruption = onInterrupt((signal) => say.info('Received signal; stopping', { signal }))
  const stopRequest = new Promise<void>((resolve) => {
    interruption.addEventListener('abort', () => resolve())
  })
  const started = await startNode(settings, log, {
    engine: process.env.CAIRN_ENGINE,
    plugins,
    reread,
    doctor: doctorRoom(source),
    prepared,
    signal: interruption,
  }).catch((error: unknown) => {
    if (interruption.aborted) return undefined
    throw error instanceof Fault ? new Fault('START_FAILED', error.data, { cause: error }) : error
  })
  if (started === undefined) {
    say.info('Cairn has stopped')
    return
  }
  const { failed, stop } = started
  optimizeLater()
  say.info('Cairn is up')
  const alive = repeat(systemClock, DAY_MS, () => {})
  const failure = await Promise.race([stopRequest, failed])
  alive.cancel()
  const failures = await stop()
  for (const { service, error } of failures) {
    say.error(CLI_PROBLEMS.stopFailed, { service, err: error })
  }
  say.info('Cairn has stopped')
  if (failure !== undefined) {
    const isExplained = failure instanceof Fault && failure.kind === 'STORE_CORRUPT'
    const hint = isExplained ? '' : ' The last block is intact; see the log above.'
    const sentence = `The node cannot continue: ${failure.message}${hint}`
    throw new Fault('NODE_FAILED', { sentence }, { cause: failure })
  }
}
