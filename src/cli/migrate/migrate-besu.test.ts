import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OptionIndex } from '#config/command-line.ts'
import { fromToml } from '#config/sources.ts'
import { migrateOptions } from '#fleet/migrate/besu-options.ts'
import { formatConfig } from '#fleet/migrate/migrated-files.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'

const pack = process.env.CAIRN_CONFORMANCE ?? join(import.meta.dirname, '../../../../shared/conformance')
const folder = join(pack, 'cli', 'config-files')
const skip = existsSync(folder) ? false : 'there is no conformance pack'

test("every option of Besu's own files has its fate, and what is written is read again", { skip }, () => {
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
