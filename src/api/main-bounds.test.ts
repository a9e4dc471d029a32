import assert from 'node:assert/strict'
import { test } from 'node:test'
import changeLogLevel from './methods/admin/admin_changeLogLevel.ts'
import { pluginMethod } from './registry/plugin-method.ts'
import type { Resources } from './resources.ts'

/* What a client sends is bounded on the server, before it reaches the main thread. */

test('the loggers of one call are bounded by number and length', () => {
  const accepts = (names: readonly string[]) => changeLogLevel.decode(['INFO', names]).ok
  const names = (count: number) => Array.from({ length: count }, (_, number) => `n${number}`)
  assert.deepEqual([accepts(names(100)), accepts(names(101))], [true, false])
  assert.deepEqual([accepts(['x'.repeat(128)]), accepts(['x'.repeat(129)])], [true, false])
})

test('too many loggers with separate levels are refused', async () => {
  const resources = { log: { setLevel: async () => 'tooMany' } } as unknown as Resources
  const run = changeLogLevel.run(
    resources,
    { level: 'INFO', loggers: ['a'] },
    { signal: new AbortController().signal },
  )
  await assert.rejects(Promise.resolve(run), { kind: 'LIMIT_EXCEEDED' })
})

test('parameters of a plugin method reach main as bytes, and only if they are short', async () => {
  const sent: unknown[] = []
  const method = pluginMethod({ name: 'echo_take', summary: '', params: [['what', 'json']] } as never)
  const resources = {
    plugins: {
      call: async (_: string, params: unknown) => {
        sent.push(params)
        return { ok: true, text: 'true' }
      },
    },
  } as unknown as Resources
  const run = async (what: unknown) => {
    const result = method.run(resources, { what }, { signal: new AbortController().signal })
    for await (const text of result as AsyncIterable<string>) assert.equal(text, 'true')
  }
  await run({ a: [1, 'b'] })
  assert.ok(sent[0] instanceof Uint8Array)
  await assert.rejects(run(Array.from({ length: 300_000 }, (_, a) => ({ a }))), { kind: 'LIMIT_EXCEEDED' })
  await assert.rejects(run('x'.repeat(1024 * 1024)), { kind: 'LIMIT_EXCEEDED' })
  assert.equal(sent.length, 1)
})
