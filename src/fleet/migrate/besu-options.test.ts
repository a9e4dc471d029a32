import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'smol-toml'
import { boolean, path, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { migrateOptions } from './besu-options.ts'
import { formatConfig, formatTable, shownOption } from './migrated-files.ts'

const OPTIONS = Object.values(
  defineOptions('Options', {
    api: { flag: '--rpc-http-api', aliases: ['--rpc-http-apis'], kind: text, help: '' },
    hosts: { flag: '--host-allowlist', kind: text, help: '' },
    genesis: { flag: '--genesis-file', kind: path, help: '' },
    cache: { flag: '--cache', kind: boolean, help: '', inert: { why: 'There is none.' } },
    blocks: { flag: '--required-blocks', kind: text, help: '', refused: { why: 'They are not compared.' } },
  }),
)
const ORIGIN = { source: 'config file', name: 'besu.toml' } as const

const migrate = (toml: string) =>
  migrateOptions(toml, ORIGIN, OPTIONS, new Map([['genesis-file', 'genesis.json']]))

test('each option is kept, renamed, replaced, ignored or refused, and the new file says which', () => {
  const rows = migrate(`
rpc-http-apis=["ETH"]
host-whitelist="*"
genesis-file="/opt/besu/genesis.json"
cache=true
required-blocks="1=0x2"
tx-pool-hashes-max-size=999
nonsense=1
old-switch=false
Xp2p-tls-enabled=true
`)
  assert.deepEqual(
    rows.map(({ key, fate, newKey }) => [key, fate, newKey]),
    [
      ['rpc-http-apis', 'renamed', 'rpc-http-api'],
      ['host-whitelist', 'renamed', 'host-allowlist'],
      ['genesis-file', 'replaced', 'genesis-file'],
      ['cache', 'ignored', undefined],
      ['required-blocks', 'refused', 'required-blocks'],
      ['tx-pool-hashes-max-size', 'ignored', undefined],
      ['nonsense', 'refused', 'nonsense'],
      ['old-switch', 'ignored', undefined],
      ['Xp2p-tls-enabled', 'refused', 'Xp2p-tls-enabled'],
    ],
  )
  assert.equal(
    formatConfig(['Heading'], rows),
    `# Heading

# rpc-http-apis: renamed, now rpc-http-api
rpc-http-api = ["ETH"]
# host-whitelist: renamed, now host-allowlist
host-allowlist = "*"
# genesis-file: replaced, now genesis.json
genesis-file = "genesis.json"
# cache: ignored, There is none.
# required-blocks: refused, They are not compared.
required-blocks = "1=0x2"
# tx-pool-hashes-max-size: ignored, The pool drops transactions by rules of its own.
# nonsense: refused, neither Besu 26.8 nor Cairn has this option. Remove it if the node needs no such protection.
nonsense = 1
# old-switch: ignored, neither Besu 26.8 nor Cairn has this option, and it is off.
# Xp2p-tls-enabled: refused, neither Besu 26.8 nor Cairn has this option. Remove it if the node needs no such protection.
Xp2p-tls-enabled = true
`,
  )
})

test('an option under its old and its new name is taken once, from the new one', () => {
  const rows = migrate('rpc-http-apis="A"\nrpc-http-api="B"')
  assert.deepEqual(
    rows.map(({ fate, value, newKey }) => [fate, value, newKey]),
    [
      ['ignored', 'A', undefined],
      ['kept', 'B', 'rpc-http-api'],
    ],
  )
})

test('private transactions and contract permissions stop the migration, unless they are off', () => {
  assert.throws(() => migrate('privacy-enabled=true'), /privacy-enabled: Cairn has no private transactions/)
  assert.throws(() => migrate('permissions-nodes-contract-enabled=true'), /permissions file/)
  assert.equal(migrate('privacy-enabled=false\nprivacy-url="http://x"').length, 2)
})

test('a wrong value is named', () => {
  assert.throws(() => migrate('cache="perhaps"'), /--cache/)
})

test('a key with a line break adds nothing to the new file or the terminal', () => {
  const rows = migrate('"a\\nrpc-http-api = \\"ADMIN\\"\\n\\u001b[2J"=1')
  const config = formatConfig(['one\ntwo = 2'], rows)
  assert.match(config, /^# one two = 2\n\n# "[^\n]*: refused,[^\n]*\n"a\\n[^\n]*" = 1\n$/)
  assert.deepEqual(Object.keys(parse(config)), ['a\nrpc-http-api = "ADMIN"\n\u001b[2J'])
  const table = formatTable(rows.map(shownOption))
  assert.deepEqual([table.includes('\u001b'), table.indexOf('\n')], [false, table.length - 1])
})
