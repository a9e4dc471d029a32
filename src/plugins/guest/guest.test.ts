import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PluginDefinition } from '#plugins/define-plugin.ts'
import type { GuestConfig } from '#plugins/plugin-protocol.ts'
import { Guest } from './guest.ts'

test('an exception of a method is logged with its stack, and an error for the client is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-guest-'))
  const logFile = join(folder, 'log')
  const fd = openSync(logFile, 'a')
  const printed = { ...console }
  t.after(() => {
    Object.assign(console, printed)
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  const definition: PluginDefinition = {
    name: 'broken',
    version: '1.0.0',
    methods: {
      slip: {
        summary: 'Throws by mistake.',
        run: () => (undefined as unknown as { readonly length: number }).length,
      },
      refuse: {
        summary: 'Refuses on purpose.',
        run: () => {
          throw Object.assign(new Error('Not today.'), { code: -32_010, data: { when: 'tomorrow' } })
        },
      },
      odd: {
        summary: 'Throws what is not an error.',
        run: () => {
          throw 'a text'
        },
      },
    },
  }
  const guest = new Guest(definition, () => Promise.resolve(undefined))
  const log = { level: 'WARN', format: 'JSON', fd } as GuestConfig['log']
  await guest.configure({ options: {}, storageFile: join(folder, 'table'), log })

  const slip = await guest.call('broken_slip', {})
  assert.deepEqual([slip.ok, !slip.ok && slip.code], [false, -32_000])
  assert.deepEqual(await guest.call('broken_refuse', {}), {
    ok: false,
    code: -32_010,
    message: 'Not today.',
    dataText: '{"when":"tomorrow"}',
  })
  const odd = await guest.call('broken_odd', {})
  assert.equal(!odd.ok && odd.message, 'a text')

  const lines = readFileSync(logFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ msg, name, fields }) => [msg, name, fields.method]),
    [
      ['Plugin method failed', 'broken', 'broken_slip'],
      ['Plugin method failed', 'broken', 'broken_odd'],
    ],
  )
  assert.match(lines[0].err.stack, /TypeError: .*\n.*guest\.test\.ts/)
  await guest.lifecycle('stop', undefined)
})
