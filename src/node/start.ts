/**
 * The room `node` builds the rooms in floor order, hands each what it needs and stops them in reverse. It holds no
 * logic of its own: what a node does stands in the rooms.
 */

import { formatOverview } from '#config/overview.ts'
import type { Settings } from '#config/settings.ts'
import { systemClock } from '#platform/clock.ts'
import { writeFileAtomic } from '#platform/files.ts'
import { createLifecycle, type Lifecycle, type Service } from '#platform/lifecycle.ts'
import type { RootLog } from '#platform/log.ts'
import { loadNetwork } from './load-genesis.ts'
import { nodeOptions } from './options.ts'
import { validateOptions } from './validate-options.ts'
import { clientVersion } from './version.ts'

/** What an operator wants to see in every start-up log. */
const ALWAYS_SHOWN = [nodeOptions.dataPath, nodeOptions.genesisFile, nodeOptions.networkId]

/** Checks the options, says what is in force and starts every room. */
export async function startNode(settings: Settings, log: RootLog): Promise<Lifecycle> {
  validateOptions(settings)
  for (const warning of settings.warnings) log.warn(warning)
  const network = loadNetwork(settings)
  log.info(`Starting ${clientVersion(settings.get(nodeOptions.identity))}`)
  log.info(`Network id ${network.networkId}`)
  for (const line of formatOverview(settings, ALWAYS_SHOWN)) log.info(line)
  const lifecycle = createLifecycle(systemClock, services(settings))
  await lifecycle.start()
  return lifecycle
}

function services(settings: Settings): Service[] {
  const pidPath = settings.get(nodeOptions.pidPath)
  if (pidPath === undefined) return []
  return [
    {
      name: 'pid file',
      startDeadlineMs: 5_000,
      stopDeadlineMs: 5_000,
      start: () => writeFileAtomic(pidPath, `${process.pid}`),
      stop: () => {},
    },
  ]
}
