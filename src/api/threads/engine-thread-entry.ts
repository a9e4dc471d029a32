/* The entry of an engine thread, which has a line to each server. */

import { methodsOn } from '#api/methods-on.ts'
import { loadOutsideMethods } from '#api/registry/outside-methods.ts'
import { API } from '#api/served-api.ts'
import { type AnnouncedHead, openChainReader } from '#chain/read/open-chain-reader.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { chargeEngine } from '#jsonrpc/limits/call-limits.ts'
import { EngineMeter } from '#jsonrpc/limits/engine-meter.ts'
import type { EngineOffers } from '#jsonrpc/threads/engine-protocol.ts'
import { ENGINE_REQUESTS } from '#jsonrpc/threads/engine-protocol.ts'
import { type Charging, EngineRunner } from '#jsonrpc/threads/engine-runner.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { systemClock } from '#platform/clock.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import type { ENGINE, EngineConfig } from './engine-thread.ts'
import { openCallLog } from './open-call-log.ts'

runReportingThread<typeof ENGINE>(async ({ data: config, log, metrics, connect }) => {
  const requests = metrics.counter(ENGINE_REQUESTS)
  const methods = [...methodsOn(config), ...(await loadOutsideMethods(config.methodModules))]
  const reader = await openChainReader(config.chain, config.head)
  const { forks } = reader.view.genesis.config
  const engine = await chooseEngine(config.engine, log.child('rpc'), { forks, isFollower: true })
  const runnerParts = {
    api: API,
    methods,
    resources: {
      chain: reader.view,
      engine,
      limits: config.limits,
      ...(await openCallLog(config.callLogSwitch, log)),
    },
    announce: (head: AnnouncedHead) => reader.announce(head),
  }
  const charging = chargingOf(config)
  const onError = (err: unknown): void => log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'server', err })

  const main = connect({
    requests: {
      connectServer: ({ name, port }) => {
        const runner = new EngineRunner(runnerParts, charging)
        connectPort<EngineOffers<AnnouncedHead>, Record<never, never>>(
          port,
          {
            requests: {
              execute: (request, context) => {
                requests.inc()
                return runner.execute(request, () => context.signal)
              },
              fetched: ({ id }) => runner.fetched(id),
            },
            streams: { chunks: ({ id }) => runner.chunks(id) },
          },
          { clock: systemClock, peer: `thread ${name}`, onError },
        )
        return null
      },
    },
  })
  main.onEvent('headMoved', (head) => reader.announce(head))
  return { stop: () => reader.close() }
})

function chargingOf({ buckets }: EngineConfig): Charging | undefined {
  if (buckets === null) return undefined
  const meter = new EngineMeter(systemClock)
  return { meter, charge: (bucket, ms) => chargeEngine(buckets, bucket, ms, systemClock) }
}
