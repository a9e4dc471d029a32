import { join, resolve } from 'node:path'
import { readBlockFile } from '#cli/block-file.ts'
import { defineCommand } from '#cli/command.ts'
import { readTextIfPresent } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { convertGoQuorumGenesis } from '#fleet/migrate/goquorum-genesis.ts'
import { convertNodeList } from '#fleet/migrate/goquorum-nodes.ts'
import { formatTable, shownNote, writeMigrated } from '#fleet/migrate/migrated-files.ts'
import { migrationRefused, type Note } from '#fleet/migrate/migration-notes.ts'
import { refusePrivateTransactions } from '#fleet/migrate/private-transactions.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { keyFromText } from '#types/key-from-text.ts'
import { checkGenesis } from './check-genesis.ts'

const options = defineOptions('Options', {
  genesisFile: {
    flag: '--genesis-file',
    kind: path,
    required: true,
    help: "The genesis file that 'geth init' was given.",
  },
  dataPath: {
    flag: '--data-path',
    kind: path,
    label: 'DIRECTORY',
    help: "GoQuorum's --datadir, where its key and its lists of nodes are.",
  },
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    help: 'Where the new node shall be: empty or missing. Without it nothing is written, only shown.',
  },
  blocks: {
    flag: '--blocks',
    kind: path,
    help: "A file of 'geth export', looked through for private transactions.",
  },
})

const PROGRESS_BLOCKS = 10_000
/** Where GoQuorum may have it, within its data directory. */
const KEY_FILES = ['geth/nodekey', 'nodekey']
const STATIC_FILES = ['static-nodes.json', 'geth/static-nodes.json']
const PERMISSIONED_FILES = ['permissioned-nodes.json']
/** Cannot be taken over. */
const LEFT_FILES: Readonly<Record<string, string>> = {
  'disallowed-nodes.json': 'leave these nodes out of the permissions file',
  'permission-config.json': 'permissions in contracts are not read; write them into the permissions file',
  keystore: 'Cairn holds no accounts; sign outside the node',
}

export default defineCommand({
  options,
  run({ own, io }) {
    const source = own.get(options.genesisFile)
    const text = readTextIfPresent(source)
    if (text === undefined) throw usageFault(`There is no file ${source}; name GoQuorum's genesis file.`)
    const { genesis, notes } = convertGoQuorumGenesis(parseJson(text))
    const genesisText = formatJson(genesis)
    checkGenesis(`made of ${source}`, genesisText)
    const dataPath = own.get(options.dataPath)
    const taken = dataPath === undefined ? { files: [], config: [], notes: [] } : takeFiles(dataPath)
    io.out(formatTable([['of GoQuorum', '', ''], ...[...notes, ...taken.notes].map(shownNote)]))
    if (dataPath === undefined)
      io.err('No key was taken; give --data-path, or the node makes a new one and is no validator.\n')

    const blocks = own.get(options.blocks)
    if (blocks !== undefined) checkBlocks(blocks, (sentence) => io.err(`${sentence}\n`))
    const to = own.get(options.to)
    if (to === undefined) {
      io.err('Nothing was written; give --to=<DIRECTORY> to make the node.\n')
      return
    }
    const config = [
      '# Made by cairn migrate goquorum. Start it here: cairn --config-file=config.toml',
      'data-path = "data"',
      'genesis-file = "genesis.json"',
      ...taken.config,
      '# Gas is free in GoQuorum, unless gasPriceEnabled says otherwise.',
      'min-gas-price = 0',
      '',
    ]
    const files = [
      { path: 'config.toml', content: config.join('\n'), isSecret: false },
      { path: 'genesis.json', content: genesisText, isSecret: false },
      ...taken.files,
    ]
    writeMigrated(to, files)
    const file = blocks === undefined ? 'blocks.rlp' : resolve(blocks)
    io.out(
      [
        `Wrote ${files.map((each) => each.path).join(', ')} to ${to}.`,
        "Cairn does not read GoQuorum's database. Blocks come from the other nodes when it starts; or from a file:",
        '  geth --datadir=… export blocks.rlp',
        `  cd ${to} && cairn --config-file=config.toml blocks import ${file}`,
        `Stop GoQuorum for good before: cd ${to} && cairn --config-file=config.toml`,
        'Two validators with one key can sign two blocks of one height. Options of geth (ports, APIs, TLS) are not taken over: see docs/cli.md.',
        '',
      ].join('\n'),
    )
  },
})

interface Taken {
  readonly files: NewFile[]
  /** Lines of the configuration. */
  readonly config: string[]
  readonly notes: Note[]
}

function takeFiles(dataPath: string): Taken {
  const taken: Taken = { files: [], config: [], notes: [] }
  const key = firstOf(dataPath, KEY_FILES)
  if (key === undefined) {
    throw usageFault(
      `There is neither ${KEY_FILES.join(' nor ')} in ${dataPath}; give --data-path as GoQuorum's --datadir.`,
    )
  }
  assertKey(key)
  take(taken, key.name, 'key', key.text, ['node-private-key-file = "key"'], true)
  const known = firstOf(dataPath, STATIC_FILES)
  if (known !== undefined) {
    const nodes = convertNodeList(known.name, known.text)
    const content = `${JSON.stringify(nodes, undefined, 2)}\n`
    take(taken, known.name, 'static-nodes.json', content, ['static-nodes-file = "static-nodes.json"'])
  }
  const permissioned = firstOf(dataPath, PERMISSIONED_FILES)
  if (permissioned !== undefined) {
    const nodes = convertNodeList(permissioned.name, permissioned.text)
    const content = `# Who may connect: id, host and port are compared, where GoQuorum compares ids alone.\nnodes-allowlist = ${JSON.stringify(nodes)}\n`
    take(taken, permissioned.name, 'permissions_config.toml', content, [
      '# As with --permissioned; remove both where GoQuorum ran without it.',
      'permissions-nodes-config-file-enabled = true',
      'permissions-nodes-config-file = "permissions_config.toml"',
    ])
  }
  for (const [name, why] of Object.entries(LEFT_FILES)) {
    if (kindOfPath(join(dataPath, name)) !== undefined) taken.notes.push([name, 'ignored', why])
  }
  return taken
}

interface Found {
  readonly name: string
  readonly text: string
}

function firstOf(dataPath: string, names: readonly string[]): Found | undefined {
  for (const name of names) {
    const text = readTextIfPresent(join(dataPath, name))
    if (text !== undefined) return { name, text }
  }
  return undefined
}

/** Without its text in any message. */
function assertKey({ name, text }: Found): void {
  if (keyFromText(text.trim()) === undefined)
    throw migrationRefused(`${name} is no key of a node: it must hold 64 hex digits.`)
}

function take(
  { files, config, notes }: Taken,
  from: string,
  name: string,
  content: string,
  lines: readonly string[],
  isSecret = false,
): void {
  files.push({ path: name, content, isSecret })
  config.push(...lines)
  notes.push([from, 'replaced', `now ${name}`])
}

function checkBlocks(file: string, say: (sentence: string) => void): void {
  const count = refusePrivateTransactions(readBlockFile(file), (done) => {
    if (done % PROGRESS_BLOCKS === 0) say(`Looked at ${done} blocks.`)
  })
  say(`No private transaction in ${count} blocks of ${file}.`)
}
