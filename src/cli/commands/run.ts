import type { Settings } from '#config/settings.ts'
import { logOptions } from '#node/options.ts'
import { startNode } from '#node/start.ts'
import { repeat, systemClock } from '#platform/clock.ts'
import { createLog, type RootLog } from '#platform/log.ts'
import { Fault } from '#types/fault.ts'

const STDERR = 2
/** A node without sockets would otherwise end at once: nothing else keeps the event loop alive. */
const DAY_MS = 86_400_000
const EXIT_SECOND_SIGNAL = 130

/** Runs the node until it is told to stop. */
export async function run(settings: Settings): Promise<void> {
  const format = settings.get(logOptions.loggingFormat)
  const colour = settings.get(logOptions.colorEnabled)
  const log = createLog({
    level: settings.get(logOptions.logging),
    fd: STDERR,
    ...(format !== undefined && { format }),
    ...(colour !== undefined && { colour }),
  })
  const lifecycle = await startNode(settings, log).catch((error: unknown) => {
    throw error instanceof Fault ? new Fault('START_FAILED', error.data, { cause: error }) : error
  })
  log.info('Cairn is up.')
  await stopRequested(log)
  const failures = await lifecycle.stop()
  for (const { service, error } of failures) log.error(`${service} did not stop cleanly`, { err: error })
  log.info('Cairn has stopped.')
}

/** The first signal asks for an orderly stop, a second one does not wait for it. */
function stopRequested(log: RootLog): Promise<void> {
  const alive = repeat(systemClock, DAY_MS, () => {})
  return new Promise((resolve) => {
    let asked = false
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(EXIT_SECOND_SIGNAL)
      asked = true
      alive.cancel()
      log.info(`Received ${signal}, stopping.`)
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
