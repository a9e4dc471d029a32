import { basename, join, resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { readTextIfPresent } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { pairs, path } from '#config/kinds.ts'
import { defineOptions, type Option, tomlKey } from '#config/option.ts'
import { tomlEntries } from '#config/sources.ts'
import { keepMetricNames, type MigratedOption, migrateOptions } from '#fleet/migrate/besu-options.ts'
import {
  formatConfig,
  formatTable,
  isPrivate,
  shownOption,
  writeMigrated,
} from '#fleet/migrate/migrated-files.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { ALL_OPTIONS } from '#node/all-options.ts'
import { MAX_GENESIS_BYTES } from '#node/load-genesis.ts'
import { kindOfPath, readTextBounded } from '#platform/files/files.ts'
import { checkGenesis } from './check-genesis.ts'

const options = defineOptions('Options', {
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    help: 'Target directory, empty or new. Omit it for a dry run.',
  },
  genesisFile: { flag: '--genesis-file', kind: path, help: 'Same as in Besu.' },
  nodePrivateKeyFile: { flag: '--node-private-key-file', kind: path, help: 'Same as in Besu.' },
  paths: {
    flag: '--path',
    kind: pairs,
    label: 'OLD=NEW,…',
    help: 'Maps paths of the file to local ones: /opt/besu=./besu.',
  },
})

/** The files of a node, and their names in the new directory. */
const TAKEN: Readonly<Record<string, { readonly name: string; readonly isSecret?: true }>> = {
  'genesis-file': { name: 'genesis.json' },
  'node-private-key-file': { name: 'key', isSecret: true },
  'static-nodes-file': { name: 'static-nodes.json' },
  'permissions-nodes-config-file': { name: 'permissions_config.toml' },
  'permissions-accounts-config-file': { name: 'permissions_accounts.toml' },
  'rpc-http-authentication-credentials-file': { name: 'credentials.toml', isSecret: true },
  'rpc-ws-authentication-credentials-file': { name: 'credentials_ws.toml', isSecret: true },
  'rpc-http-authentication-jwt-public-key-file': { name: 'jwt_key.pem' },
  'rpc-ws-authentication-jwt-public-key-file': { name: 'jwt_key_ws.pem' },
}
/**
 * Files that Besu reads from its data directory if no option names them, and the option that enables each; '' means
 * always.
 */
const IN_DATA: Readonly<Record<string, { readonly file: string; readonly when: string }>> = {
  'node-private-key-file': { file: 'key', when: '' },
  'static-nodes-file': { file: 'static-nodes.json', when: '' },
  'permissions-nodes-config-file': {
    file: 'permissions_config.toml',
    when: 'permissions-nodes-config-file-enabled',
  },
  'permissions-accounts-config-file': {
    file: 'permissions_config.toml',
    when: 'permissions-accounts-config-file-enabled',
  },
}
const DATA_DIRECTORY = 'data'
const SECRET_LABEL = 'PASSWORD'
const PATH_LABEL = 'FILE'

interface TakenFiles {
  /** The name in the new directory, by key. */
  readonly names: Map<string, string>
  readonly files: NewFile[]
}

export default defineCommand({
  options,
  operands: { label: 'CONFIG_FILE', help: "Besu's configuration file, TOML.", count: 1 },
  run({ own, operands, io }) {
    const [file] = operands as [string]
    const toml = readTextIfPresent(file)
    if (toml === undefined) throw usageFault(`There is no file ${file}; name Besu's configuration file.`)
    const origin = { source: 'config file', name: file } as const
    const given = new Map(tomlEntries(toml, origin).map(([key, value]) => [canonical(key), value]))
    for (const option of [options.genesisFile, options.nodePrivateKeyFile]) {
      const value = own.get(option)
      if (value !== undefined) given.set(tomlKey(option.flag), value)
    }
    const here = (text: string): string => replacePath(text, own.get(options.paths) ?? new Map())
    const taken = takeFiles(given, here)
    const named = new Map([...taken.names, ['data-path', DATA_DIRECTORY]])
    const migrated = migrateOptions(toml, origin, ALL_OPTIONS, named).map((each) => withPathHere(each, here))
    const added = [...named].filter(([key]) => !migrated.some(({ newKey }) => newKey === key))
    const metrics = keepMetricNames(given, ALL_OPTIONS)
    const rows = [
      ...migrated,
      ...added.map(([key, value]) => addedOption(key, value)),
      ...(metrics === undefined ? [] : [metrics]),
    ]
    io.out(formatTable([['option', '', ''], ...rows.map(shownOption)]))
    for (const sentence of remarks(rows, taken, given)) io.err(`${sentence}\n`)

    const to = own.get(options.to)
    if (to === undefined) {
      io.err('Nothing was written; give --to=<DIRECTORY> to make the node.\n')
      return
    }
    const heading = [
      `Made by cairn migrate besu from ${resolve(file)}.`,
      'Start it here: cairn --config-file=config.toml',
    ]
    const hasSecrets =
      isPrivate(file) || rows.some(({ option }) => option === undefined || option.kind.label === SECRET_LABEL)
    const config = { path: 'config.toml', content: formatConfig(heading, rows), isSecret: hasSecrets }
    writeMigrated(to, [config, ...taken.files])
    io.out(
      [
        `Wrote ${[config, ...taken.files].map((each) => each.path).join(', ')} to ${to}.`,
        "Cairn does not read Besu's database. Blocks come from the other nodes when it starts; or from a file:",
        '  besu --data-path=… blocks export --to=blocks.rlp',
        `  cd ${to} && cairn --config-file=config.toml blocks import blocks.rlp`,
        `Stop Besu for good before: cd ${to} && cairn --config-file=config.toml`,
        'Two validators with one key can sign two blocks of one height.',
        '',
      ].join('\n'),
    )
  },
})

function canonical(key: string): string {
  const option = ALL_OPTIONS.find(({ flag, aliases }) => [flag, ...aliases].includes(`--${key}`))
  return option === undefined ? key : tomlKey(option.flag)
}

/** The longest prefix wins. */
function replacePath(text: string, replacements: ReadonlyMap<string, string>): string {
  const fits = (old: string) => text === old || text.startsWith(old.endsWith('/') ? old : `${old}/`)
  const [best] = [...replacements.keys()].filter(fits).sort((a, b) => b.length - a.length)
  return best === undefined ? text : join(replacements.get(best)!, text.slice(best.length))
}

/** Reads all of them, so a missing one stops the migration before anything is written. */
function takeFiles(given: ReadonlyMap<string, unknown>, here: (text: string) => string): TakenFiles {
  const taken: TakenFiles = { names: new Map(), files: [] }
  const bySource = new Map<string, string>()
  for (const [key, { name, isSecret = false }] of Object.entries(TAKEN)) {
    const source = sourceOf(key, given, here)
    if (source === undefined) continue
    const known = bySource.get(source)
    taken.names.set(key, known ?? name)
    if (known !== undefined) continue
    bySource.set(source, name)
    const content = readTextBounded(source, MAX_GENESIS_BYTES)
    taken.files.push({ path: name, content, isSecret: isSecret || isPrivate(source) })
    if (key === 'genesis-file') checkGenesis(source, content)
  }
  return taken
}

function sourceOf(
  key: string,
  given: ReadonlyMap<string, unknown>,
  here: (text: string) => string,
): string | undefined {
  const value = given.get(key)
  if (typeof value === 'string') {
    const source = resolve(here(value))
    if (kindOfPath(source) === 'file') return source
    throw usageFault(
      `${key} names ${value}, but ${source} does not exist. Map its directory with --path=${join(value, '..')}=<DIRECTORY>.`,
    )
  }
  const row = IN_DATA[key]
  const dataPath = given.get('data-path')
  if (row === undefined || typeof dataPath !== 'string') return undefined
  if (row.when !== '' && given.get(row.when) !== true) return undefined
  const source = resolve(here(dataPath), row.file)
  return kindOfPath(source) === 'file' ? source : undefined
}

/** Makes a path absolute if its file stays in place, because the new node's directory is another one. */
function withPathHere(row: MigratedOption, here: (text: string) => string): MigratedOption {
  const { option, value, newKey, fate } = row
  const isPath = option?.kind.label === PATH_LABEL && typeof value === 'string'
  if (!isPath || newKey === undefined || fate === 'replaced') return row
  const moved = resolve(here(value))
  if (moved === value) return row
  return { ...row, fate: 'replaced', value: moved, why: `now ${moved}` }
}

function addedOption(key: string, value: string): MigratedOption {
  const option = ALL_OPTIONS.find(({ flag }) => flag === `--${key}`) as Option
  const why = key === 'data-path' ? 'a new database' : `taken from where Besu had ${basename(value)}`
  return { key, newKey: key, value, option, fate: 'replaced', why }
}

function* remarks(
  rows: readonly MigratedOption[],
  { names }: TakenFiles,
  given: ReadonlyMap<string, unknown>,
): Generator<string> {
  const refused = rows.filter(({ fate }) => fate === 'refused').map(({ key }) => key)
  if (refused.length > 0) {
    yield `Decide about ${refused.join(', ')}: the node does not start while they are in config.toml, because without them it may be less protected than it was.`
  }
  if (!names.has('node-private-key-file')) {
    yield "No key was found: the node will generate a new one and is not a validator. Pass --node-private-key-file, or the data-path that holds Besu's file 'key'."
  }
  if (!names.has('genesis-file') && !given.has('network')) {
    yield 'No genesis file was found; give --genesis-file, unless this is a node of a public network.'
  }
}
