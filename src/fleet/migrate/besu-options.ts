/** Converts the options of a Besu configuration file. */
import { OptionIndex, type Origin } from '#config/command-line.ts'
import { RENAMED, retiredOption } from '#config/former-options.ts'
import { suggestion } from '#config/nearest.ts'
import { type Option, tomlKey } from '#config/option.ts'
import { interpret, refusalOf } from '#config/settings.ts'
import { tomlEntries, tomlValueText } from '#config/sources.ts'
import { migrationRefused } from './migration-notes.ts'

export type OptionFate =
  /** The option is unchanged. */
  | 'kept'
  /** Besu has a newer name for it. */
  | 'renamed'
  /** It names a file or directory of the new node. */
  | 'replaced'
  /** It has no effect and is omitted. */
  | 'ignored'
  /**
   * It protects the node and Cairn does not support it, or it is unknown. The node does not start until someone has
   * decided.
   */
  | 'refused'
  /** It is not in the old file and keeps a default of Besu. */
  | 'added'

export interface MigratedOption {
  /** The key in the old file. */
  readonly key: string
  readonly fate: OptionFate
  /** The key in the new file; undefined if it is omitted. */
  readonly newKey: string | undefined
  /** The TOML value. */
  readonly value: unknown
  readonly option: Option | undefined
  readonly why: string
}

/** `files` maps the keys that name a file of the new node to their new values. */
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

/** An unknown option may protect the node. It stays in the new file, so the node does not start with it. */
function unknownOption(key: string, value: unknown, index: OptionIndex): MigratedOption {
  const retired = retiredOption(key)
  if (retired !== undefined || value === false) {
    const why = retired?.why ?? 'neither Besu 26.8 nor Cairn has this option, and it is off.'
    return { key, value, option: undefined, newKey: undefined, fate: 'ignored', why }
  }
  const why = `neither Besu 26.8 nor Cairn has this option.${suggestion(`--${key}`, index.names())} Remove it if the node needs no such protection.`
  return { key, value, option: undefined, newKey: key, fate: 'refused', why }
}

function stops(key: string, value: unknown): boolean {
  return value !== false && retiredOption(key)?.stops === true
}

const METRICS_PREFIX = 'metrics-prefix'

/** Dashboards and alerts made for Besu ask for its metric names, which have another prefix than Cairn's. */
export function keepMetricNames(
  given: ReadonlyMap<string, unknown>,
  options: readonly Option[],
): MigratedOption | undefined {
  if (given.get('metrics-enabled') !== true || given.has(METRICS_PREFIX)) return undefined
  const option = new OptionIndex(options).find(`--${METRICS_PREFIX}`)
  const why =
    "keeps Besu's metric names for dashboards made for Besu; remove it for the dashboards and alerts of Cairn"
  return { key: METRICS_PREFIX, newKey: METRICS_PREFIX, value: 'besu_', option, fate: 'added', why }
}
