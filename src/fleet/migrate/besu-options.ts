/** What becomes of the options in a configuration file of Besu. */
import { OptionIndex, type Origin } from '#config/command-line.ts'
import { suggestion } from '#config/nearest.ts'
import { type Option, tomlKey } from '#config/option.ts'
import { interpret, refusalOf } from '#config/settings.ts'
import { tomlEntries, tomlValueText } from '#config/sources.ts'
import { migrationRefused } from './migration-notes.ts'

export type OptionFate =
  /** As it was. */
  | 'kept'
  /** Besu has a newer name for it. */
  | 'renamed'
  /** It names a file, or a directory, of the new node. */
  | 'replaced'
  /** Without effect, and left out. */
  | 'ignored'
  /** It protects the node and Cairn cannot do it, or nobody knows what it does: the node does not start until somebody has decided. */
  | 'refused'

export interface MigratedOption {
  /** As the file has it. */
  readonly key: string
  readonly fate: OptionFate
  /** The key in the new file; undefined: it is left out. */
  readonly newKey: string | undefined
  /** As TOML has it. */
  readonly value: unknown
  readonly option: Option | undefined
  readonly why: string
}

/** Names that Besu has dropped for others. */
const RENAMED: Readonly<Record<string, string>> = { 'host-whitelist': 'host-allowlist' }

interface Retired {
  readonly key: RegExp
  readonly why: string
  /** Whoever uses it must not be taken over without it. */
  readonly stops?: true
}

/** Of earlier versions of Besu; networks of the quickstart have some of them. */
const RETIRED: readonly Retired[] = [
  {
    key: /^privacy-enabled$/,
    why: 'Cairn has no private transactions: what they did is in the private state of this node and of its Tessera alone. Move contracts that need them to public ones, or keep Besu for them.',
    stops: true,
  },
  {
    key: /^permissions-(nodes|accounts)-contract-enabled$/,
    why: 'Cairn reads permissions from a file, not from a contract; write the permitted ones into a permissions file and set permissions-nodes-config-file-enabled and permissions-accounts-config-file-enabled.',
    stops: true,
  },
  {
    key: /^(privacy-|permissions-(nodes|accounts)-contract-)/,
    why: 'it belongs to what Cairn does not have.',
  },
  { key: /^tx-pool-(retention-hours|hashes-max-size)$/, why: 'the pool drops by rules of its own.' },
  { key: /^(pruning-|Xpruning-)/, why: 'Cairn prunes by --bonsai-historical-block-limit.' },
  { key: /^(fast-sync-|Xsynchronizer-)/, why: 'Cairn executes every block that it catches up with.' },
  { key: /^(miner-stratum-|Xminer-|ethstats)/, why: 'Cairn does not do this.' },
]

/** `files`: the keys that name something of the new node, with their new values. */
export function migrateOptions(
  toml: string,
  origin: Origin,
  options: readonly Option[],
  files: ReadonlyMap<string, string>,
): MigratedOption[] {
  const index = new OptionIndex(options)
  const entries = tomlEntries(toml, origin)
  const known = (key: string) => index.find(`--${RENAMED[key] ?? key}`)
  const keys = new Set(entries.map(([key]) => key))
  const all = entries.map(([key, value]): MigratedOption => {
    const option = known(key)
    return option === undefined
      ? unknownOption(key, value, index)
      : knownOption(key, value, option, origin, files, keys)
  })
  const stopping = all.find(({ key, value, option }) => option === undefined && stops(key, value))
  if (stopping !== undefined) throw migrationRefused(`${stopping.key}: ${stopping.why}`)
  return all
}

function knownOption(
  key: string,
  value: unknown,
  option: Option,
  origin: Origin,
  files: ReadonlyMap<string, string>,
  keys: ReadonlySet<string>,
): MigratedOption {
  const newKey = tomlKey(option.flag)
  const row = { key, value, option, newKey }
  const parsed = interpret({ option, text: tomlValueText(key, value, origin), origin })
  if (option.inert !== undefined) return { ...row, fate: 'ignored', newKey: undefined, why: option.inert.why }
  if (newKey !== key && keys.has(newKey)) {
    return { ...row, fate: 'ignored', newKey: undefined, why: `${newKey} is given too, and is used.` }
  }
  if (refusalOf(option, parsed) !== undefined) return { ...row, fate: 'refused', why: option.refused!.why }
  const file = files.get(newKey)
  if (file !== undefined) return { ...row, fate: 'replaced', value: file, why: `now ${file}` }
  return newKey === key
    ? { ...row, fate: 'kept', why: '' }
    : { ...row, fate: 'renamed', why: `now ${newKey}` }
}

/** An option that is not known may protect the node. It stays in the new file, which no node starts with. */
function unknownOption(key: string, value: unknown, index: OptionIndex): MigratedOption {
  const retired = RETIRED.find((row) => row.key.test(key))
  if (retired !== undefined || value === false) {
    const why = retired?.why ?? 'neither Besu 26.8 nor Cairn has this option, and it is off.'
    return { key, value, option: undefined, newKey: undefined, fate: 'ignored', why }
  }
  const why = `neither Besu 26.8 nor Cairn has this option.${suggestion(`--${key}`, index.names())} Remove it if the node needs no such protection.`
  return { key, value, option: undefined, newKey: key, fate: 'refused', why }
}

/** Off is off here too. */
function stops(key: string, value: unknown): boolean {
  return value !== false && RETIRED.find((row) => row.key.test(key))?.stops === true
}
