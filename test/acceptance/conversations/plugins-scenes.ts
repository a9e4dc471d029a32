/** Plugins for conversations: real plugins in their own threads. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LiveOwners } from '#api/contracts.ts'
import { loadSettings } from '#config/settings.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { findPlugins } from '#plugins/find-plugins.ts'
import { PluginSet } from '#plugins/host/plugin-set.ts'

const FOLDER = fileURLToPath(new URL('../../support/fixtures/plugins', import.meta.url))

/** The plugins of each scene, by folder name. */
const SCENES: Readonly<Record<string, readonly string[]>> = {
  willing: ['alpha', 'gamma'],
  mixed: ['alpha', 'beta', 'gamma'],
  slow: ['slow'],
}

/** Idle time before the plugins are stopped; their threads would keep the process alive. */
const IDLE_MS = 500

export function pluginsOf(scene: string | undefined): LiveOwners['plugins'] {
  const names = scene === undefined ? [] : SCENES[scene]!
  let loading: ReturnType<typeof load> | undefined
  let idle: NodeJS.Timeout | undefined
  const stop = async (): Promise<void> => {
    const loaded = loading
    loading = undefined
    await (await loaded)?.stop()
  }
  const use = async <Value>(ask: (loaded: Awaited<ReturnType<typeof load>>) => Promise<Value>) => {
    clearTimeout(idle)
    loading ??= load(names)
    const answer = await ask(await loading)
    idle = setTimeout(() => void stop(), IDLE_MS)
    return answer
  }
  return {
    options: () => ({}),
    reload: (name) => use(({ set, settings }) => set.reload(name, () => settings)),
    states: () => use(({ set }) => set.states()),
    call: () => undefined,
  }
}

async function load(names: readonly string[]) {
  const limits = { isVerified: false, continuesOnError: false, maxMemoryMb: 128 }
  const set = await PluginSet.load(findPlugins(FOLDER, names), { clock: systemClock, ...limits })
  const dataPath = mkdtempSync(join(tmpdir(), 'cairn-plugins-'))
  const settings = loadSettings({
    options: set.optionRows(),
    commandLine: [],
    environment: {},
    readText: () => undefined,
  })
  await set.register({
    log: createLog({ level: 'OFF' }),
    threads: silentThreads(),
    metrics: createMetrics({ prefix: '', onSourceError: () => undefined }),
    dataPath,
    settings,
    answerRpc: async () => '',
  })
  const stop = async () => {
    await set.stop()
    rmSync(dataPath, { recursive: true, force: true })
  }
  return { set, settings, stop }
}
