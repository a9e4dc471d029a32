import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { systemClock } from '#platform/clock.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { Later, Lifecycle } from '#platform/room.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import {
  NodePlugins,
  REGISTERED_PLUGINS,
  STARTED_PLUGINS,
  type ToldNode,
} from '#plugins/host/node-plugins.ts'
import type { SyncProgress } from '#sync/sync-progress.ts'
import { configureNode } from './load-plugins.ts'

const LOOK_MS = 2_000

const PLUGIN = `import { definePlugin } from 'cairn-node/plugin'
const told = []
export default definePlugin({
  name: 'follower',
  version: '1.0.0',
  on: { sync: (progress) => void told.push(progress ?? null) },
  methods: { told: { summary: 'What it heard.', run: () => told } },
})
`

test('a plugin learns how far the node is behind, on changes, and when there is no peer to sync with', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-plugin-service-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'follower.ts')
  writeFileSync(file, PLUGIN)
  const args = [`--data-path=${folder}`, `--plugins=${file}`, '--logging=OFF']
  const configured = await configureNode({ args, environment: {}, readText: () => undefined })
  const clock = createFakeClock()
  const plugins = new NodePlugins(configured.plugins, {
    settings: configured.settings,
    reread: configured.reread,
    rpc: new Later('JSON-RPC'),
    clock,
    log: createLog({ level: 'OFF' }),
    threads: silentThreads(),
    metrics: createMetrics({ prefix: 'cairn_', onSourceError: () => undefined }),
  })
  let progress: SyncProgress | undefined
  const told = { pool: {}, progress: () => progress } as ToldNode
  const rooms = new Lifecycle(systemClock)
  await rooms.start(REGISTERED_PLUGINS, plugins)
  await rooms.start(STARTED_PLUGINS, { plugins, told })
  t.after(() => rooms.stop())
  const far = { startingBlock: 0, currentBlock: 10, highestBlock: 90 }
  for (const next of [undefined, far, far, { ...far, currentBlock: 60 }, undefined]) {
    progress = next
    clock.advance(LOOK_MS)
    await new Promise(setImmediate)
  }
  const expected = [
    null,
    { currentBlock: 10, highestBlock: 90 },
    { currentBlock: 60, highestBlock: 90 },
    null,
  ]
  for (;;) {
    const answer = await plugins.call('follower_told', serialize({}))
    assert(answer?.ok)
    const told = JSON.parse(answer.text)
    if (told.length < expected.length) continue
    assert.deepEqual(told, expected)
    break
  }
})
