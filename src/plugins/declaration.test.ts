import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDeclaration, declare } from './declaration.ts'
import { definePlugin, type PluginDefinition } from './define-plugin.ts'

function check(more: Partial<PluginDefinition>): unknown {
  const definition = { name: 'mine', version: '1.0.0', ...more } as PluginDefinition
  return checkDeclaration(declare(definePlugin(definition)), 'mine.ts')
}

const judge = () => []

test('a valid declaration is accepted', () => {
  check({
    options: { limit: { type: 'integer', default: 1, help: 'h' }, token: { type: 'secret', help: 't' } },
    admission: { onFailure: 'refuse', judge },
    methods: { ask: { summary: 's', params: { who: 'address?' }, run: () => null } },
  })
})

test('a harmful declaration is refused with a sentence that says what to fix', () => {
  const rows: readonly [Partial<PluginDefinition>, RegExp][] = [
    [{ name: 'Mine!' }, /its name is "Mine!"/],
    [{ namespace: 'eth' }, /the namespace eth belongs to the node/],
    [{ namespace: 'admin' }, /the namespace admin belongs to the node/],
    [{ admission: { judge } as never }, /admission needs onFailure/],
    [
      { admission: { onFailure: 'admit', deadlineMs: 2_000, judge } },
      /deadline of admission is 2000.*1 to 1500/,
    ],
    [
      { selection: { onFailure: 'admit', deadlineMs: 1_001, judge } },
      /deadline of selection is 1001.*1 to 1000/,
    ],
    [{ timeouts: { reloadMs: 120_001 } }, /time-out of reload is 120001/],
    [
      { options: { a: { type: 'integer', default: '1', help: 'h' } } },
      /default of the option a is not of type integer/,
    ],
    [{ options: { a: { type: 'key' as never, help: 'h' } } }, /option a has no type of/],
    [
      { options: { a: { type: 'secret', default: 'x', help: 'h' } } },
      /option a is a secret and has a default/,
    ],
    [{ metrics: { listener_failures: { kind: 'counter', help: 'h' } } }, /is the node's/],
    [
      {
        methods: Object.fromEntries(
          Array.from({ length: 101 }, (_, n) => [`m${n}`, { summary: 's', run: judge }]),
        ),
      },
      /more than 100 of a kind/,
    ],
    [
      { methods: { ask: { summary: 's', params: { who: 'anything' as never }, run: judge } } },
      /type of who in mine_ask/,
    ],
  ]
  for (const [more, sentence] of rows)
    assert.throws(() => check(more), { kind: 'PLUGIN_FAILED', message: sentence })
})
