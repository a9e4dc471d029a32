/** Plugins for tests, written to files and run in threads as in a node. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { loadSettings } from '#config/settings.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { findPlugins } from '#plugins/find-plugins.ts'
import { PluginSet } from '#plugins/host/plugin-set.ts'

export interface LoadedPlugins {
  readonly set: PluginSet
  readonly folder: string
  /** The log output. */
  lines(): string
  metrics(): Promise<string>
}

/** `bodies` maps a plugin name to the members of its definition. */
export async function loadBodies(
  t: TestContext,
  bodies: Readonly<Record<string, string>>,
  options: {
    readonly continuesOnError?: boolean
    readonly maxMemoryMb?: number
    readonly folder?: string
    readonly answerRpc?: (message: string) => Promise<string>
    /** Text before each definition. */
    readonly head?: string
  } = {},
): Promise<LoadedPlugins> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'cairn-plugins-'))
  if (options.folder === undefined) t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, body] of Object.entries(bodies)) {
    const text = `${options.head ?? ''}import { definePlugin } from 'cairn-node/plugin'\nlet calls = 0\nexport default definePlugin({ name: '${name}', version: '1', ${body} })\n`
    writeFileSync(join(folder, `${name}.ts`), text)
  }
  const set = await PluginSet.load(findPlugins(folder, undefined), {
    clock: systemClock,
    isVerified: false,
    continuesOnError: options.continuesOnError ?? false,
    maxMemoryMb: options.maxMemoryMb ?? 64,
  })
  t.after(() => set.stop())
  let lines = ''
  const destination = {
    write: (line: string) => {
      lines += line
    },
  }
  const metrics = createMetrics({ prefix: 'cairn_', onSourceError: () => undefined })
  await set.register({
    log: createLog({ level: 'INFO', format: 'PLAIN', colour: false, destination }),
    threads: silentThreads({ metrics }),
    metrics,
    dataPath: folder,
    settings: loadSettings({
      options: set.optionRows(),
      commandLine: [],
      environment: {},
      readText: () => undefined,
    }),
    answerRpc: options.answerRpc ?? (async () => '{"jsonrpc":"2.0","id":1,"result":null}'),
  })
  return { set, folder, lines: () => lines, metrics: async () => (await metrics.exposition()).body }
}

/** Waits until the condition holds, or until the test's own timeout. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}
