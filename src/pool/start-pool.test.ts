import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LiveBuilding } from '#chain/build/building-settings.ts'
import { silentLog } from '#chain/chain.fixture.ts'
import { buildingOptions } from '#chain/options.ts'
import { RunningChain } from '#chain/start-chain.ts'
import { startTestWriter } from '#chain/writer/writer-thread.fixture.ts'
import { dataOptions } from '#config/data-directory.ts'
import { loadSettings } from '#config/settings.ts'
import { systemClock } from '#platform/clock.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { Lifecycle } from '#platform/room.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { poolOptions } from './options.ts'
import { POOL_ROOM } from './start-pool.ts'

/** Blocks take every transaction. */
const BUILDING = {
  targetGasLimit: undefined,
  minGasPriceWei: 0n,
  minPriorityFeeWei: 0n,
  extraData: new Uint8Array(0),
}

test('a stopped pool ignores heads, because its reader is closed', async (t) => {
  const { writer, config } = await startTestWriter(t)
  const never = new Promise<never>(() => undefined)
  const parts = { config, writer, failed: never, log: silentLog, threads: silentThreads() }
  const chain = new RunningChain(parts, await writer.head())
  const rooms = new Lifecycle(systemClock)
  const options = [poolOptions, buildingOptions, dataOptions].flatMap((group) => Object.values(group))
  await rooms.start(POOL_ROOM, {
    settings: loadSettings({ options, commandLine: [], environment: {}, readText: () => undefined }),
    chain,
    clock: systemClock,
    log: silentLog,
    metrics: createMetrics({ prefix: 'cairn_', onSourceError: () => undefined }),
    building: new LiveBuilding(BUILDING),
    settled: undefined,
  })
  assert.equal(chain.headMoved.listenerCount, 1)
  await rooms.stop()
  assert.equal(chain.headMoved.listenerCount, 0)
})
