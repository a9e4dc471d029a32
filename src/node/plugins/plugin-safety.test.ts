/**
 * The modules that a plugin may load, the effect of a failed reload, and the secrecy of plugin options, with real plugins
 * in threads.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { serialize } from 'node:v8'
import { formatOverview } from '#config/settings.ts'
import { embedNode } from '#node/create-node.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { Later } from '#platform/room.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { NodePlugins } from '#plugins/host/node-plugins.ts'
import { configureNode } from './load-plugins.ts'

const HEAD = `import { definePlugin } from 'cairn-node/plugin'\n`
const TRIES = 200

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-plugin-safety-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes files by name, and a list of the reviewed ones. */
function write(folder: string, files: Readonly<Record<string, string>>, listed = Object.keys(files)): void {
  mkdirSync(join(folder, 'parts'), { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const sum = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  writeFileSync(join(folder, 'SHA256SUMS'), listed.map((name) => `${sum(name)}  ${name}\n`).join(''))
}

async function configure(t: TestContext, folder: string, file: string, ...more: readonly string[]) {
  const args = [`--data-path=${folder}`, `--plugins=${join(folder, file)}`, '--logging=OFF', ...more]
  const readText = (path: string) => readFileSync(path, 'utf8')
  const configured = await configureNode({ args, environment: {}, readText })
  t.after(() => configured.plugins.stop())
  return configured
}

async function register(t: TestContext, folder: string, file: string, ...more: readonly string[]) {
  const { plugins: set, settings, reread } = await configure(t, folder, file, ...more)
  const ends: string[] = []
  const plugins = new NodePlugins(set, {
    settings,
    reread,
    rpc: new Later('JSON-RPC'),
    clock: systemClock,
    log: createLog({ level: 'ERROR', destination: { write: (line) => void ends.push(line) } }),
    threads: silentThreads(),
    metrics: createMetrics({ prefix: 'cairn_', onSourceError: () => undefined }),
  })
  await plugins.register()
  const call = async (method: string): Promise<unknown> => {
    const answer = await plugins.call(method, serialize({}))
    return answer?.ok ? JSON.parse(answer.text) : answer
  }
  return { plugins, settings, call, ends }
}

async function until(isDone: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (await isDone()) return
    await pause(100)
  }
  assert.fail(`${what} did not happen`)
}

const PARTS = {
  'main.ts': `${HEAD}import { said } from './parts/esm.ts'
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
export default definePlugin({ name: 'parts', version: '1.0.0', methods: {
  said: { summary: 's', run: () => said },
  required: { summary: 'r', run: () => require('./parts/old.cjs').said },
  late: { summary: 'l', run: async () => (await import('./parts/late.mjs')).said },
  die: { summary: 'd', run: () => { setTimeout(() => { throw new Error('a mistake') }, 5); return true } } } })`,
  'parts/esm.ts': `export const said: string = 'esm'`,
  'parts/old.cjs': `exports.said = 'cjs'`,
  'parts/late.mjs': `export const said = 'late'`,
}
const FULL = '--plugins-verification-mode=FULL'

test('with FULL a plugin loads listed modules of every kind', async (t) => {
  const folder = folderOf(t)
  write(folder, PARTS)
  const { call } = await register(t, folder, 'main.ts', FULL)
  assert.deepEqual(
    [await call('parts_said'), await call('parts_required'), await call('parts_late')],
    ['esm', 'cjs', 'late'],
  )
})

test('with FULL a plugin behind a link loads', async (t) => {
  const folder = folderOf(t)
  write(join(folder), PARTS)
  const linked = join(folderOf(t), 'linked')
  symlinkSync(folder, linked)
  const { call } = await register(t, linked, 'main.ts', FULL)
  assert.equal(await call('parts_said'), 'esm')
})

for (const part of ['parts/esm.ts', 'parts/old.cjs', 'parts/late.mjs']) {
  test(`with FULL a plugin does not load ${basename(part)} where the list lacks it`, async (t) => {
    const folder = folderOf(t)
    write(
      folder,
      PARTS,
      Object.keys(PARTS).filter((name) => name !== part),
    )
    const load = register(t, folder, 'main.ts', FULL)
    if (part === 'parts/esm.ts') {
      await assert.rejects(
        load,
        /esm\.ts is not loaded, because --plugins-verification-mode is FULL.*does not list/,
      )
      return
    }
    const { call } = await load
    const answer = await call(part === 'parts/old.cjs' ? 'parts_required' : 'parts_late')
    assert.match(JSON.stringify(answer), /is not loaded, because --plugins-verification-mode is FULL/)
  })
}

test('with FULL a module changed after the start is not loaded, at once or after a crash', async (t) => {
  const folder = folderOf(t)
  write(folder, PARTS)
  const { plugins, call, ends } = await register(t, folder, 'main.ts', FULL)
  writeFileSync(join(folder, 'parts/late.mjs'), `export const said = 'hacked'`)
  assert.match(JSON.stringify(await call('parts_late')), /has another sum/)
  writeFileSync(join(folder, 'parts/late.mjs'), PARTS['parts/late.mjs'])
  writeFileSync(join(folder, 'main.ts'), PARTS['main.ts'].replace('run: () => said', `run: () => 'hacked'`))
  const [host] = plugins.set.hosts
  await call('parts_die')
  await until(() => !host!.isUp, 'the end of the plugin')
  // The crash, and the refused start after it.
  await until(() => host!.isUp || ends.length > 1, 'the refusal to start again')
  assert.equal(host!.isUp, false)
  writeFileSync(join(folder, 'main.ts'), PARTS['main.ts'])
  await until(() => host!.isUp, 'the next start of the plugin')
  assert.equal(await call('parts_said'), 'esm')
})

const GATE = `${HEAD}let own = 0
export default definePlugin({ name: 'gate', version: '1.0.0', timeouts: { reloadMs: 300 },
  options: { limit: { type: 'integer', default: 1, help: 'h' }, waits: { type: 'integer', default: 0, help: 'w' } },
  register: (node) => { own = node.options.limit },
  reload: async (node) => { const { limit } = node.options; await new Promise((r) => setTimeout(r, node.options.waits)); own = limit },
  methods: { limits: { summary: 's', run: (_, node) => [node.options.limit, own] } } })`

test('a late reload has no effect, neither at once nor later', async (t) => {
  const folder = folderOf(t)
  write(folder, { 'gate.mjs': GATE })
  const config = join(folder, 'c.toml')
  writeFileSync(config, 'plugin-gate-limit=1\n')
  const { plugins, call } = await register(t, folder, 'gate.mjs', `--config-file=${config}`)
  writeFileSync(config, 'plugin-gate-limit=7\nplugin-gate-waits=600\n')
  const reload = plugins.reload('gate')
  assert.match(JSON.stringify(await plugins.reload('gate')), /another reload is under way/)
  assert.match(JSON.stringify(await reload), /it took longer than 300 ms/)
  const [host] = plugins.set.hosts
  await pause(800)
  await until(() => host!.isUp, 'the next start of the plugin')
  assert.deepEqual(await call('gate_limits'), [1, 1])
  assert.deepEqual(plugins.options(), { 'gate.limit': '1', 'gate.waits': '0' })
  writeFileSync(config, 'plugin-gate-limit=9\n')
  assert.deepEqual(await plugins.reload('gate'), { kind: 'success' })
  assert.deepEqual(await call('gate_limits'), [9, 9])
})

const KEEPER = `${HEAD}export default definePlugin({ name: 'keeper', version: '1.0.0',
  options: { token: { type: 'secret', help: 'A token.' }, other: { type: 'secret', help: 'Another.' } },
  methods: { shown: { summary: 's', run: (_, node) => [String(node.options.token), node.options.token, node.options.token.reveal(), node.options.other ?? null] } } })`

test("a plugin's secret is passed to the plugin and shown nowhere", async (t) => {
  const folder = folderOf(t)
  write(folder, { 'keeper.mjs': KEEPER })
  const config = join(folder, 'c.toml')
  writeFileSync(config, 'plugin-keeper-token="hunter2"\n')
  const { plugins, settings, call } = await register(t, folder, 'keeper.mjs', `--config-file=${config}`)
  assert.deepEqual(await call('keeper_shown'), ['[secret]', '[secret]', 'hunter2', null])
  const [host] = plugins.set.hosts
  const shown = [
    formatOverview(settings, []).join('\n'),
    JSON.stringify(plugins.options()),
    JSON.stringify(settings.given()),
    JSON.stringify(host),
    JSON.stringify(host!.options),
  ]
  for (const text of shown) assert.doesNotMatch(text, /hunter2/)
  assert.match(shown[0]!, /--plugin-keeper-token=\[secret\]/)
  writeFileSync(config, 'plugin-keeper-token="hunter3"\n')
  assert.deepEqual(await plugins.reload('keeper'), { kind: 'success' })
  assert.deepEqual(((await call('keeper_shown')) as unknown[])[2], 'hunter3')
})

test("a plugin's secret has no default", async (t) => {
  const folder = folderOf(t)
  write(folder, { 'keeper.mjs': KEEPER.replace(`help: 'A token.'`, `help: 'A token.', default: 'hunter2'`) })
  await assert.rejects(configure(t, folder, 'keeper.mjs'), (error: Error) => {
    assert.match(error.message, /the option token is a secret and has a default/)
    assert.doesNotMatch(error.message, /hunter2/)
    return true
  })
})

test('a second node on a data directory is refused before its plugins open their storage', async (t) => {
  const folder = folderOf(t)
  write(folder, {
    'counter.mjs': `${HEAD}import { appendFileSync } from 'node:fs'
export default definePlugin({ name: 'counter', version: '1.0.0',
  register: () => appendFileSync(${JSON.stringify(join(folder, 'registered'))}, 'x') })`,
  })
  const data = join(folder, 'data')
  const options = {
    network: 'dev',
    plugins: join(folder, 'counter.mjs'),
    'rpc-http-enabled': false,
    'rpc-ws-enabled': false,
  } as const
  const node = await embedNode({ dataPath: data, options })
  t.after(() => node.stop())
  await assert.rejects(embedNode({ dataPath: data, options }))
  assert.equal(readFileSync(join(folder, 'registered'), 'utf8'), 'x')
})
