/**
 * Mistakes of plugin authors, also at the worst moment: the node applies the declared onFailure and logs what to fix.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { configureNode } from '#node/plugins/load-plugins.ts'
import { createLog } from '#platform/log/log.ts'
import { createAdmission, createSelection } from '#plugins/host/rules.ts'
import { createPluginSigner } from '#plugins/host/signer.ts'
import type { SentTransaction } from '#plugins/plugin-protocol.ts'
import { loadBodies, until } from './plugin-bodies.ts'

const QUIET = createLog({ level: 'OFF' })
const UNANSWERED = 'The plugin that decides it does not answer.'

function offered(count: number): readonly SentTransaction[] {
  const amounts = {
    gasLimit: 21_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    maxCostWei: 1n,
    encoded: new Uint8Array(),
  }
  const one = {
    hash: '0x01',
    sender: 'a',
    to: null,
    type: 0,
    nonce: 0n,
    ...amounts,
    origin: 'local',
  } as const
  return Array.from({ length: count }, () => one)
}

test('invalid verdicts are rejected: holes, truthy values, too few, too many, not a list', async (t) => {
  const answers = {
    holes: 'new Array(all.length)',
    half: '[true, , true]',
    truths: 'all.map(() => 1)',
    few: '[true]',
    many: '[...all, 1].map(() => true)',
    none: 'undefined',
    text: "'yes'",
  }
  for (const [name, answer] of Object.entries(answers)) {
    const { set } = await loadBodies(t, {
      [name]: `admission: { onFailure: 'refuse', judge: (all) => ${answer} }, selection: { onFailure: 'refuse', judge: (all) => ${answer} }`,
    })
    assert.deepEqual(await createAdmission(set)!(offered(3)), [UNANSWERED, UNANSWERED, UNANSWERED], name)
    const block = { number: 1n, timestamp: 1n, baseFeePerGas: undefined }
    const { judge } = createSelection(set)!
    assert.deepEqual(await judge(offered(3), block, 500), [UNANSWERED, UNANSWERED, UNANSWERED], name)
  }
})

test('sentences, errors and bytes without end do not reach the log or the sender', async (t) => {
  const { set, lines } = await loadBodies(t, {
    wordy: "admission: { onFailure: 'admit', judge: (all) => all.map(() => 'x'.repeat(3_000_000)) }",
    loud: "connections: { onFailure: 'admit', judge: () => { throw new Error('y'.repeat(3_000_000)) } }, health: { check: () => 'z'.repeat(3_000_000) }",
    heavy:
      'signer: { publicKey: () => new Uint8Array(3_000_000), sign: () => new Uint8Array(64), ecdh: () => 7 }',
  })
  const [verdict] = await createAdmission(set)!(offered(1))
  assert.equal(verdict, 'x'.repeat(500))
  const loud = set.hosts.find(({ name }) => name === 'loud')!
  const peer = { enode: '', id: '', ip: '', direction: 'inbound' } as const
  assert.deepEqual(await loud.ask('connections', peer, 1_000), { ok: false })
  assert((await set.failing())[0]!.cause.length <= 2_000)
  const signer = createPluginSigner(set, 'heavy')
  await assert.rejects(signer.publicKey(), /gave no publicKey/)
  await assert.rejects(signer.sign(new Uint8Array(32)), /gave no sign/)
  await assert.rejects(signer.ecdh(new Uint8Array(64)), /gave no ecdh/)
  assert(lines().length < 20_000, `${lines().length} characters`)
})

test('a method answers with JSON or with an error, whatever it gives or throws', async (t) => {
  const run = (name: string, body: string) => `${name}: { summary: 'x', run: () => { ${body} } }`
  const { set } = await loadBodies(t, {
    odd: `methods: { ${[
      run('nothing', 'return undefined'),
      run('code', 'return () => 1'),
      run('circle', 'const c = {}; c.c = c; return c'),
      run('big', 'return { value: 255n }'),
      run('long', "return 'x'.repeat(5_000_000)"),
      run('thrown', 'throw undefined'),
      run('data', "const e = new Error('no'); e.data = () => 1; throw e"),
      run('ring', "const e = new Error('no'); e.data = { e }; e.data.d = e.data; e.code = 7; throw e"),
    ].join()} }`,
  })
  const call = async (name: string) => {
    const answer = await set.hosts[0]!.ask('call', { method: `odd_${name}`, params: serialize({}) }, 2_000)
    assert(answer.ok, name)
    return answer.value
  }
  assert.deepEqual(await call('nothing'), { ok: true, text: 'null' })
  assert.deepEqual(await call('code'), { ok: true, text: 'null' })
  assert.deepEqual(await call('big'), { ok: true, text: '{"value":"0xff"}' })
  assert.deepEqual(await call('thrown'), { ok: false, code: -32_000, message: 'undefined' })
  assert.deepEqual(await call('data'), { ok: false, code: -32_000, message: 'no' })
  assert.deepEqual(await call('ring'), { ok: false, code: 7, message: 'no' })
  assert.match(JSON.stringify(await call('circle')), /"ok":false.*circular/)
  assert.match(JSON.stringify(await call('long')), /"ok":false.*at most 4194304 are sent/)
})

test('a plugin that answers twice, or posts to its starter thread, changes nothing', async (t) => {
  const { set } = await loadBodies(t, {
    twice: `start: async () => { const { parentPort, workerData } = await import('node:worker_threads')
      for (const each of [null, 7, 'x', {}, { kind: 'failed' }, { kind: 'ready' }]) parentPort.postMessage(each)
      const { port } = workerData.cairnThread.work
      for (const id of [0, 1, 2, 1e6]) port.postMessage([1, id, ['again']]) },
     admission: { onFailure: 'refuse', judge: (all) => all.map(() => 'once') }`,
  })
  await set.start(QUIET)
  assert.deepEqual(await createAdmission(set)!(offered(1)), ['once'])
  assert.equal(set.hosts[0]!.isUp, true)
})

test('two plugins with the same name, namespace, option or metric stop the start', async (t) => {
  const method = "methods: { x: { summary: 'x', run: () => 1 } }"
  const pairs: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [
      { one: `namespace: 'same', ${method}`, two: `namespace: 'same', ${method}` },
      /one\.ts and .*two\.ts have the same namespace, same: leave one of them out/,
    ],
    [
      {
        a: "options: { 'b-c': { type: 'text', help: 'x' } }",
        'a-b': "options: { c: { type: 'text', help: 'x' } }",
      },
      /have the same option, --plugin-a-b-c: leave one of them out/,
    ],
    [
      {
        a: "metrics: { b_c: { kind: 'gauge', help: 'x' } }",
        'a-b': "metrics: { c: { kind: 'gauge', help: 'x' } }",
      },
      /have the same metric, plugin_a_b_c: leave one of them out/,
    ],
    [
      { own: "metrics: { listener_failures: { kind: 'counter', help: 'x', labels: ['hook'] } }" },
      /the metric listener_failures is the node's/,
    ],
  ]
  for (const [bodies, sentence] of pairs) await assert.rejects(loadBodies(t, bodies), sentence)
})

test("a plugin's option with the name of a node's option is reported", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-plugins-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'plugins'))
  const text = `import { definePlugin } from 'cairn-node/plugin'\nexport default definePlugin({ name: 'continue', version: '1', options: { 'on-error': { type: 'boolean', help: 'x' } } })\n`
  writeFileSync(join(folder, 'plugins', 'continue.ts'), text)
  const texts = { args: [`--data-path=${folder}`], environment: {}, readText: () => undefined }
  await assert.rejects(
    configureNode(texts),
    /The option --plugin-continue-on-error of the plugin continue is an option of the node: rename/,
  )
})

test('a restarting plugin is not reloaded, and the node stops while it hangs', {
  timeout: 60_000,
}, async (t) => {
  const { set, metrics } = await loadBodies(t, {
    slow: `register: async (node) => { const runs = (node.storage.get('runs')?.[0] ?? 0) + 1; await node.storage.put('runs', Uint8Array.of(runs)); if (runs > 1) await new Promise((done) => setTimeout(done, 1_500)); calls = 1 },
     start: (node) => { if (node.storage.get('runs')[0] === 1) setTimeout(() => process.exit(0), 10) },
     timeouts: { stopMs: 120_000 },
     reload: () => { throw new Error(calls === 1 ? 'reloaded' : 'too early') },
     methods: { loop: { summary: 'x', deadlineMs: 200, run: () => { while (true); } } }`,
  })
  await set.start(QUIET)
  const [host] = set.hosts
  const failures = new Set<string | undefined>()
  await until(async () => {
    failures.add(await host!.reload({}))
    return failures.has('reloaded') && host!.isUp && /ended_total\{plugin="slow"/.test(await metrics())
  })
  assert.deepEqual([...failures].sort(), ['it is being started again', 'reloaded'])
  await host!.ask('call', { method: 'slow_loop', params: serialize({}) }, 200)
  // The node ends it because it hangs, long before its time to stop is over.
  await set.stop()
})

test('a plugin that is loaded again when the node stops does not keep it', { timeout: 60_000 }, async (t) => {
  const { set, folder, metrics } = await loadBodies(t, {
    again: 'start: () => { setTimeout(() => process.exit(0), 10) }',
  })
  await set.start(QUIET)
  await until(async () => /ended_total\{plugin="again"/.test(await metrics()))
  const file = join(folder, 'again.ts')
  const loading = join(folder, 'loading')
  writeFileSync(
    file,
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(loading)}, '')\nawait new Promise((done) => setTimeout(done, 100_000))\n${readFileSync(file, 'utf8')}`,
  )
  await until(() => existsSync(loading))
  await set.stop()
})

test('a plugin that was just loaded again when the node stops is not started', {
  timeout: 60_000,
}, async (t) => {
  const head = "import { appendFileSync, existsSync, writeFileSync } from 'node:fs'\n"
  const { set, folder, metrics } = await loadBodies(
    t,
    {
      slow: `register: () => appendFileSync(new URL('runs', import.meta.url), 'x'),
     start: () => { writeFileSync(new URL('slow', import.meta.url), ''); setTimeout(() => process.exit(0), 10) },
     get namespace() { if (existsSync(new URL('slow', import.meta.url))) { writeFileSync(new URL('asked', import.meta.url), ''); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000) } return 'slow' }`,
    },
    { head },
  )
  await set.start(QUIET)
  await until(async () => /ended_total\{plugin="slow"/.test(await metrics()))
  await until(() => existsSync(join(folder, 'asked')))
  await set.stop()
  assert.equal(set.hosts[0]!.isUp, false)
  assert.equal(readFileSync(join(folder, 'runs'), 'utf8'), 'x')
})
