import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { main } from '#cli/main.ts'
import { OptionIndex } from '#config/command-line.ts'
import { fromToml } from '#config/sources.ts'
import { migrateOptions } from '#fleet/migrate/besu-options.ts'
import { formatConfig } from '#fleet/migrate/migrated-files.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'

const pack = process.env.CAIRN_CONFORMANCE ?? join(import.meta.dirname, '../../../../shared/conformance')
const folder = join(pack, 'cli', 'config-files')
const skip = existsSync(folder) ? false : 'there is no conformance pack'

test("every option of Besu's files has a result, and the written file can be read again", { skip }, () => {
  for (const file of [
    'complete_config.toml',
    'everything_config.toml',
    'no_bootnodes.toml',
    'partial_config.toml',
  ]) {
    const origin = { source: 'config file', name: file } as const
    const rows = migrateOptions(readFileSync(join(folder, file), 'utf8'), origin, ALL_OPTIONS, new Map())
    assert(rows.length > 0)
    const unknown = rows.filter(({ option }) => option === undefined).map(({ key }) => key)
    assert.deepEqual(unknown, [], `${file}: Besu knows these`)
    const { given } = fromToml(formatConfig([file], rows), new OptionIndex(ALL_OPTIONS), origin)
    assert.equal(given.length, rows.filter(({ newKey }) => newKey !== undefined).length, file)
  }
})

test('metrics keep the names of Besu, unless the file has a prefix or no metrics', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-migrate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const migrate = async (toml: string) => {
    const file = join(folder, 'besu.toml')
    writeFileSync(file, toml)
    let out = ''
    const io = {
      out: (text: string) => {
        out += text
      },
      err: () => undefined,
      draw: () => undefined,
      readInput: () => '',
      readSecretLine: () => undefined,
      columns: undefined,
    }
    rmSync(join(folder, 'new'), { recursive: true, force: true })
    assert.equal(await main(['migrate', 'besu', file, `--to=${join(folder, 'new')}`], io), 0)
    return { out, config: readFileSync(join(folder, 'new/config.toml'), 'utf8') }
  }
  const { out, config } = await migrate('metrics-enabled=true')
  assert.match(out, /^metrics-prefix +added +keeps Besu's metric names/m)
  assert.match(config, /^metrics-prefix = "besu_"$/m)
  for (const toml of ['metrics-enabled=false', 'p2p-port=1', 'metrics-enabled=true\nmetrics-prefix="own_"']) {
    assert.doesNotMatch((await migrate(toml)).config, /besu_/)
  }
})
