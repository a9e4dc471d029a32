/* Where an engine thread begins: whatever executes code for a request runs here, one server line beside the other. */
import { openChainReader } from '#chain/read/open-chain-reader.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { systemClock } from '#platform/clock.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import { chargeEngine } from '#rpc/limits/call-limits.ts'
import { EngineMeter } from '#rpc/limits/engine-meter.ts'
import { loadMethods } from '#rpc/registry/load-methods.ts'
import type { ENGINE, EngineConfig, EngineOffers } from './engine-protocol.ts'
import { type Charging, EngineRunner } from './engine-runner.ts'
import { ENGINE_REQUESTS } from './thread-metrics.ts'

runReportingThread<typeof ENGINE>(async ({ data: config, log, metrics, connect }) => {
  const requests = metrics.counter(ENGINE_REQUESTS)
  const methods = await loadMethods(config.methodModules)
  const reader = await openChainReader(config.chain, config.head)
  const { forks } = reader.view.genesis.config
  const engine = await chooseEngine(config.engine, log.child('rpc'), { forks, isFollower: true })
  const resources = { chain: reader.view, engine, limits: config.limits }
  const charging = chargingOf(config)
  const onError = (err: unknown): void => log.error('The channel to a server failed.', { err })

  const main = connect({
    requests: {
      connectServer: ({ name, port }) => {
        const runner = new EngineRunner(methods, resources, reader, charging)
        connectPort<EngineOffers, Record<never, never>>(
          port,
          {
            requests: {
              execute: (request, context) => {
                requests.inc()
                return runner.execute(request, () => context.signal)
              },
            },
            streams: { chunks: ({ id }) => runner.chunks(id) },
          },
          { clock: systemClock, peer: `thread ${name}`, onError },
        )
        return null
      },
    },
  })
  main.onNews('headMoved', (head) => reader.announce(head))
  return { stop: () => reader.close() }
})

function chargingOf({ accounts }: EngineConfig): Charging | undefined {
  if (accounts === null) return undefined
  const meter = new EngineMeter(systemClock)
  return { meter, charge: (account, ms) => chargeEngine(accounts, account, ms, systemClock) }
}
