/** The files of a migrated node, all prepared before the first is written. */
import type { NewFile } from '#fleet/new-network.ts'
import { refusal } from '#fleet/plan-network.ts'
import { writeNewFiles } from '#fleet/write-new-files.ts'
import { ensureDirectory, isMissingOrEmpty } from '#platform/files/files.ts'
import { modeOf } from '#platform/machine.ts'
import type { MigratedOption } from './besu-options.ts'
import type { Note } from './migration-notes.ts'

const OWNER_DIRECTORY = 0o700
const READABLE_BY_ALL = 0o004

/** Never overwrites a file, because it may be the only copy of a key. */
export function writeMigrated(directory: string, files: readonly NewFile[]): void {
  if (!isMissingOrEmpty(directory)) {
    throw refusal(`${directory} is not empty; give --to a directory that is empty or missing.`)
  }
  ensureDirectory(directory, { mode: OWNER_DIRECTORY })
  writeNewFiles(files, directory)
}

/** A copy is readable by no more users than its source; the directory excludes the others. */
export function isPrivate(source: string): boolean {
  return ((modeOf(source) ?? 0) & READABLE_BY_ALL) === 0
}

/** Formats the new configuration, with the fate of every old option as comments. */
export function formatConfig(heading: readonly string[], options: readonly MigratedOption[]): string {
  const rows = options.map(({ key, newKey, value, fate, why }) => {
    const note = `# ${shownKey(key)}: ${fate}${why === '' ? '' : `, ${oneLine(why)}`}\n`
    return newKey === undefined
      ? note
      : `${fate === 'kept' ? '' : note}${tomlKeyText(newKey)} = ${tomlText(value)}\n`
  })
  return `${heading.map((line) => `# ${oneLine(line)}\n`).join('')}\n${rows.join('')}`
}

/** Formats columns for people. Values are not shown, because some are secret. */
export function formatTable(rows: readonly (readonly [string, string, string])[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map(([name, fate, why]) => `${name.padEnd(widths[0]!)}  ${fate.padEnd(widths[1]!)}  ${why}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('')
}

export function shownOption({ key, fate, why }: MigratedOption): readonly [string, string, string] {
  return [shownKey(key), fate, oneLine(why)]
}

export function shownNote([what, fate, why]: Note): readonly [string, string, string] {
  return [shownKey(what), fate, oneLine(why)]
}

/** Keys come from a file and may be any text, but a comment must be one line. */
function shownKey(key: string): string {
  return /^[\w./[\]-]+$/.test(key) ? key : oneLine(JSON.stringify(key))
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
}

/** An unknown key may be any text. */
function tomlKeyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}

/** JSON of texts, booleans, numbers and lists of them is also TOML. */
function tomlText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? `[${value.map(tomlText).join(', ')}]` : JSON.stringify(value)
}
