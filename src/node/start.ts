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
import { httpOptions, websocketOptions } from '#rpc/options.ts'
import { loadNetwork } from './load-genesis.ts'
import { createMetricsService, createNodeMetrics } from './metrics-service.ts'
import { nodeOptions } from './options.ts'
import { createRpcService, type ServedNode } from './rpc-service.ts'
import { validateOptions } from './validate-options.ts'
import { clientVersion } from './version.ts'

const PID_DEADLINE_MS = 5_000

/** What an operator wants to see in every start-up log. */
const ALWAYS_SHOWN = [
  nodeOptions.dataPath,
  nodeOptions.genesisFile,
  nodeOptions.networkId,
  httpOptions.enabled,
  websocketOptions.enabled,
]

/** Checks the options, says what is in force and starts every room. */
export async function startNode(settings: Settings, rootLog: RootLog): Promise<Lifecycle> {
  const log = rootLog.child('node')
  validateOptions(settings)
  for (const warning of settings.warnings) log.warn(warning)
  const { networkId } = loadNetwork(settings)
  const node: ServedNode = {
    clientVersion: clientVersion(settings.get(nodeOptions.identity)),
    networkId,
    services: {},
  }
  log.info(`Starting ${node.clientVersion}`)
  log.info(`Network id ${networkId}`)
  for (const line of formatOverview(settings, ALWAYS_SHOWN)) log.info(line)
  const metrics = createNodeMetrics(settings, clientVersion(), log)
  const lifecycle = createLifecycle(systemClock, [
    ...createMetricsService(settings, node, metrics, log),
    ...createRpcService(settings, node, { clock: systemClock, log, setLevel: rootLog.setLevel, metrics }),
    ...createPidFile(settings),
  ])
  await lifecycle.start()
  return lifecycle
}

function createPidFile(settings: Settings): Service[] {
  const path = settings.get(nodeOptions.pidPath)
  if (path === undefined) return []
  return [
    {
      name: 'pid file',
      startDeadlineMs: PID_DEADLINE_MS,
      stopDeadlineMs: PID_DEADLINE_MS,
      start: () => writeFileAtomic(path, `${process.pid}`),
      stop: () => {},
    },
  ]
}
