import { join, resolve } from 'node:path'
import { readBlockFile } from '#cli/block-file.ts'
import { defineCommand } from '#cli/command.ts'
import { readTextIfPresent } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { convertGoQuorumGenesis } from '#fleet/migrate/goquorum-genesis.ts'
import { convertNodeList, withoutBanned } from '#fleet/migrate/goquorum-nodes.ts'
import { adviseProposerOrder } from '#fleet/migrate/goquorum-proposers.ts'
import { formatTable, isPrivate, shownNote, writeMigrated } from '#fleet/migrate/migrated-files.ts'
import { migrationRefused, type Note } from '#fleet/migrate/migration-notes.ts'
import { refusePrivateTransactions } from '#fleet/migrate/private-transactions.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { formatJson } from '#types/json/json-format.ts'
import { parseJson } from '#types/json/json-parse.ts'
import { keyFromText } from '#types/key-from-text.ts'
import { checkGenesis } from './check-genesis.ts'

const options = defineOptions('Options', {
  genesisFile: {
    flag: '--genesis-file',
    kind: path,
    required: true,
    help: "Genesis file given to 'geth init'.",
  },
  dataPath: {
    flag: '--data-path',
    kind: path,
    label: 'DIRECTORY',
    help: "GoQuorum's --datadir, with its key and node lists.",
  },
  to: {
    flag: '--to',
    kind: path,
    label: 'DIRECTORY',
    help: 'Target directory, empty or new. Omit it for a dry run.',
  },
  blocks: {
    flag: '--blocks',
    kind: path,
    help: "File from 'geth export' to check for private transactions.",
  },
})

const PROGRESS_BLOCKS = 10_000
/** Possible places within GoQuorum's data directory. */
const KEY_FILES = ['geth/nodekey', 'nodekey']
const STATIC_FILES = ['static-nodes.json', 'geth/static-nodes.json']
const PERMISSIONED_FILES = ['permissioned-nodes.json']
const DISALLOWED_FILES = ['disallowed-nodes.json']
const CONTRACT_PERMISSIONS = 'permission-config.json'
/** Files that cannot be migrated. */
const LEFT_FILES: Readonly<Record<string, string>> = {
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
    const blocks = own.get(options.blocks)
    const last = blocks === undefined ? undefined : checkBlocks(blocks, (sentence) => io.err(`${sentence}\n`))
    const proposers = adviseProposerOrder(genesis, last?.extraData)
    const allNotes = [...notes, ...taken.notes, proposers.note]
    io.out(formatTable([['of GoQuorum', '', ''], ...allNotes.map(shownNote)]))
    if (dataPath === undefined)
      io.err('No key was taken. Pass --data-path, or the node generates a new key and is not a validator.\n')
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
      '# GoQuorum reads no other encoding of consensus messages. Remove it when no GoQuorum validator is left.',
      'Xbft-legacy-protocol-encoding = true',
      ...proposers.config,
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
        'Two validators with one key can sign two blocks of one height. geth options (ports, APIs, TLS) are not converted: see docs/reference/cli.md.',
        '',
      ].join('\n'),
    )
  },
})

interface Taken {
  readonly files: NewFile[]
  /** Lines of the configuration file. */
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
  take(taken, { ...key, isSecret: true }, 'key', key.text, ['node-private-key-file = "key"'])
  if (kindOfPath(join(dataPath, CONTRACT_PERMISSIONS)) !== undefined) {
    throw migrationRefused(
      `${CONTRACT_PERMISSIONS} names permissioning contracts, which Cairn does not read: the node would be less protected than before. Write the permitted nodes and accounts into a permissions file (docs/operate/permissioning.md), and move ${CONTRACT_PERMISSIONS} away.`,
    )
  }
  const disallowed = firstOf(dataPath, DISALLOWED_FILES)
  const banned = disallowed === undefined ? [] : convertNodeList(disallowed.name, disallowed.text)
  const known = firstOf(dataPath, STATIC_FILES)
  if (known !== undefined) {
    const nodes = withoutBanned(convertNodeList(known.name, known.text), banned)
    const content = `${JSON.stringify(nodes, undefined, 2)}\n`
    take(taken, known, 'static-nodes.json', content, ['static-nodes-file = "static-nodes.json"'])
  }
  const permissioned = firstOf(dataPath, PERMISSIONED_FILES)
  if (permissioned !== undefined) {
    const nodes = withoutBanned(convertNodeList(permissioned.name, permissioned.text), banned)
    const content = `# Who may connect: id, host and port are compared, where GoQuorum compares ids alone.\nnodes-allowlist = ${JSON.stringify(nodes)}\n`
    take(taken, permissioned, 'permissions_config.toml', content, [
      '# As with --permissioned; remove both where GoQuorum ran without it.',
      'permissions-nodes-config-file-enabled = true',
      'permissions-nodes-config-file = "permissions_config.toml"',
    ])
  }
  if (disallowed !== undefined) {
    if (permissioned === undefined) {
      throw migrationRefused(
        `${disallowed.name} bans nodes, but ${PERMISSIONED_FILES[0]} does not exist: Cairn only has an allowlist and would admit the banned nodes. Write the permitted nodes into ${PERMISSIONED_FILES[0]}, or move ${disallowed.name} away.`,
      )
    }
    taken.notes.push([disallowed.name, 'replaced', 'these nodes are left out of both lists'])
  }
  for (const [name, why] of Object.entries(LEFT_FILES)) {
    if (kindOfPath(join(dataPath, name)) !== undefined) taken.notes.push([name, 'ignored', why])
  }
  return taken
}

interface Found {
  readonly name: string
  readonly text: string
  /** True if other users of this machine could not read it. */
  readonly isSecret: boolean
}

function firstOf(dataPath: string, names: readonly string[]): Found | undefined {
  for (const name of names) {
    const text = readTextIfPresent(join(dataPath, name))
    if (text !== undefined) return { name, text, isSecret: isPrivate(join(dataPath, name)) }
  }
  return undefined
}

/** The message does not contain the key. */
function assertKey({ name, text }: Found): void {
  if (keyFromText(text.trim()) === undefined)
    throw migrationRefused(`${name} is not a node key: it must hold 64 hex digits.`)
}

function take(
  { files, config, notes }: Taken,
  from: Found,
  name: string,
  content: string,
  lines: readonly string[],
): void {
  files.push({ path: name, content, isSecret: from.isSecret })
  config.push(...lines)
  notes.push([from.name, 'replaced', `now ${name}`])
}

function checkBlocks(file: string, say: (sentence: string) => void): BlockHeader | undefined {
  const { count, last } = refusePrivateTransactions(readBlockFile(file), (done) => {
    if (done % PROGRESS_BLOCKS === 0) say(`Looked at ${done} blocks.`)
  })
  say(`No private transaction in ${count} blocks of ${file}.`)
  return last
}
