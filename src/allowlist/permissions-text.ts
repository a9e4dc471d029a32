/** The text of a permissions file: the entries of a list in it, and the text with other ones. */
import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError, type TomlTable } from 'smol-toml'
import { usageFault } from '#config/faults.ts'
import { assert } from '#types/assert.ts'
import type { Fault } from '#types/fault.ts'
import type { ListKind } from './list-kind.ts'
import { changeTomlList, findTomlList, lineOfElement } from './toml-list.ts'

/** What a file says: parsed once, since a list may have many thousand entries. */
export class PermissionsText {
  readonly text: string
  #table: TomlTable | TomlError | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The error where it is no TOML. */
  table(): TomlTable | TomlError {
    this.#table ??= parseToml(this.text)
    return this.#table
  }
}

/** The entries in the order of the file. Throws a Fault that names the line: `path` is for its sentence. */
export function readEntries(content: PermissionsText, kind: ListKind, path: string): string[] {
  const values = listIn(requireTable(content, path), kind, path)
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    const entry = typeof value === 'string' ? kind.parse(value) : undefined
    if (entry === undefined || (seen.has(entry) && !kind.mayRepeat)) {
      const shown = typeof value === 'string' ? value : JSON.stringify(value)
      const where = `${kind.key}, ${placeOf(content, kind, index)} of ${path}`
      throw usageFault(
        entry === undefined
          ? kind.whyInvalid(shown, where)
          : `Duplicate ${kind.entry} ${shown} in ${where}. Remove one of the two.`,
      )
    }
    seen.add(entry)
  }
  return [...seen]
}

/** The texts of the list, if there is one. */
export function textsIn(content: PermissionsText, { key }: ListKind): readonly string[] {
  const table = content.table()
  const values = table instanceof TomlError ? undefined : table[key]
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}

/** What stands in the list however it is spelled, and whatever else may be wrong; undefined: there is no such list. */
export function peekEntries(content: PermissionsText, kind: ListKind): ReadonlySet<string> | undefined {
  const table = content.table()
  const values = table instanceof TomlError ? undefined : table[kind.key]
  if (!Array.isArray(values)) return undefined
  const entries = new Set<string>()
  for (const value of values) {
    const entry = typeof value === 'string' ? kind.parse(value) : undefined
    if (entry !== undefined) entries.add(entry)
  }
  return entries
}

/** The same file with these entries: those that stand there stay as they are written, the others come behind them. */
export function writeEntries(
  content: PermissionsText,
  kind: ListKind,
  entries: readonly string[],
): PermissionsText {
  const table = content.table()
  const list = findTomlList(content.text, kind.key)
  if (table instanceof TomlError || list === undefined) throw rewriteFault(kind)
  const { [kind.key]: values, ...others } = table
  assert(Array.isArray(values) && values.length === list.elements.length, 'Both read the same list.')
  const missing = new Set(entries)
  // Whatever is wrong with an entry, or stands there a second time, goes.
  const kept = values.map((value) => typeof value === 'string' && missing.delete(kind.parse(value) ?? ''))
  const changed = changeTomlList(list, (index) => kept[index] ?? false, [...missing])
  const written = new PermissionsText(changed)
  requireChanged(written, kind, entries, others)
  return written
}

/** The parser has the last word about what was written. */
function requireChanged(
  content: PermissionsText,
  kind: ListKind,
  entries: readonly string[],
  others: TomlTable,
): void {
  const table = content.table()
  assert(!(table instanceof TomlError), 'What was written is TOML.')
  const { [kind.key]: values, ...same } = table
  const standing = peekEntries(content, kind)
  assert(
    Array.isArray(values) && values.length === entries.length && standing?.size === entries.length,
    'A list that was changed has as many entries as it should.',
  )
  assert(
    entries.every((entry) => standing.has(entry)),
    'A list that was changed has the entries that it should.',
  )
  assert(isDeepStrictEqual(same, others), 'A change of a list changes nothing else in its file.')
}

/** Besu's words first, so that whoever looks for them finds them. */
export function unreadable(path: string, what: string, advice: string): Fault {
  return usageFault(`Unable to read permissioning TOML config file : ${path} ${what}. ${advice}`)
}

function parseToml(text: string): TomlTable | TomlError {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError) return error
    throw error
  }
}

function requireTable(content: PermissionsText, path: string): TomlTable {
  const table = content.table()
  if (table instanceof TomlError) {
    const what = `Invalid TOML configuration: ${reasonOf(table, content.text)}`
    throw unreadable(path, what, 'Correct that line.')
  }
  if (Object.keys(table).length > 0) return table
  throw unreadable(
    path,
    'Empty TOML result: the file names no list',
    'An empty list is accounts-allowlist=[] or nodes-allowlist=[].',
  )
}

function reasonOf({ line, column, message }: TomlError, text: string): string {
  const behind = text.split('\n')[line - 1]?.slice(column - 1)
  const reason =
    behind?.trim() === ''
      ? 'Unexpected end of line'
      : message.split('\n')[0]?.replace(/^Invalid TOML document: /, '')
  return `line ${line}, column ${column}: ${reason}`
}

function listIn(table: TomlTable, { key, oldKey, entry }: ListKind, path: string): readonly unknown[] {
  const values = table[key]
  if (Array.isArray(values)) return values
  if (values !== undefined) {
    throw usageFault(`${key} in the permissions file ${path} is no list. Write ${key}=["…", "…"].`)
  }
  const advice =
    table[oldKey] === undefined
      ? `Add a line ${key}=[…] above all tables; [] permits no ${entry}.`
      : `It has ${oldKey}, the name of old versions: rename it to ${key}.`
  throw usageFault(`${key} config option missing in TOML config file ${path}. ${advice}`)
}

function placeOf({ text }: PermissionsText, { key }: ListKind, index: number): string {
  const element = findTomlList(text, key)?.elements[index]
  return element === undefined ? `entry ${index + 1}` : `line ${lineOfElement(text, element)}`
}

function rewriteFault({ key }: ListKind): Fault {
  return usageFault(
    `The key ${key} is not written as ${key}= at the top of the file, so the list cannot be changed there.`,
  )
}
