/** Reads and rewrites the lists in the text of a permissions file. */
import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml'
import { usageFault } from '#config/faults.ts'
import type { Sliced } from '#platform/next-turn.ts'
import { assert } from '#types/assert.ts'
import type { Fault } from '#types/fault.ts'
import type { ListKind } from './list-kind.ts'
import { changeTomlList, findTomlList, lineOfElement, type TomlList } from './toml-list.ts'

const LIST_KEYS = ['accounts-allowlist', 'nodes-allowlist']
/** Maximum list elements parsed in one turn. */
const PARSED_AT_ONCE = 500

/** The content of a file, parsed at most once: a list may have thousands of entries. */
export class PermissionsText {
  readonly text: string
  #table: TomlTable | TomlError | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Returns the error if the text is not TOML. */
  *table(): Sliced<TomlTable | TomlError> {
    this.#table ??= yield* parseInSlices(this.text)
    return this.#table
  }
}

/** Returns the entries in file order. Throws a Fault that names the line; `path` appears in its message. */
export function* readEntries(content: PermissionsText, kind: ListKind, path: string): Sliced<string[]> {
  const values = listIn(yield* requireTable(content, path), kind, path)
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    yield
    const entry = typeof value === 'string' ? kind.parse(value) : undefined
    if (entry === undefined || (seen.has(entry) && !kind.mayRepeat)) {
      const shown = typeof value === 'string' ? value : JSON.stringify(value)
      const where = `${kind.key}, ${yield* placeOf(content, kind, index)} of ${path}`
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

/** The strings in the list; empty if there is no such list. */
export function* textsIn(content: PermissionsText, { key }: ListKind): Sliced<readonly string[]> {
  const table = yield* content.table()
  const values = table instanceof TomlError ? undefined : table[key]
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}

/** The valid entries in canonical spelling, ignoring everything else; undefined if there is no such list. */
export function* peekEntries(
  content: PermissionsText,
  kind: ListKind,
): Sliced<ReadonlySet<string> | undefined> {
  const table = yield* content.table()
  const values = table instanceof TomlError ? undefined : table[kind.key]
  if (!Array.isArray(values)) return undefined
  const entries = new Set<string>()
  for (const value of values) {
    yield
    const entry = typeof value === 'string' ? kind.parse(value) : undefined
    if (entry !== undefined) entries.add(entry)
  }
  return entries
}

/** Returns the file with these entries. Entries already in the file keep their spelling and place; new ones are appended. */
export function* writeEntries(
  content: PermissionsText,
  kind: ListKind,
  entries: readonly string[],
): Sliced<PermissionsText> {
  const table = yield* content.table()
  const list = yield* findTomlList(content.text, kind.key)
  if (table instanceof TomlError || list === undefined) throw rewriteFault(kind)
  const { [kind.key]: values, ...others } = table
  assert(Array.isArray(values) && values.length === list.elements.length, 'Both read the same list.')
  const missing = new Set(entries)
  // Invalid entries and duplicates are removed.
  const kept: boolean[] = []
  for (const value of values) {
    yield
    kept.push(typeof value === 'string' && missing.delete(kind.parse(value) ?? ''))
  }
  const changed = yield* changeTomlList(list, (index) => kept[index] ?? false, [...missing])
  const written = new PermissionsText(changed)
  yield* requireChanged(written, kind, entries, others)
  return written
}

/** Verifies the new text with the TOML parser. */
function* requireChanged(
  content: PermissionsText,
  kind: ListKind,
  entries: readonly string[],
  others: TomlTable,
): Sliced<void> {
  const table = yield* content.table()
  assert(!(table instanceof TomlError), 'The written text is TOML.')
  const { [kind.key]: values, ...same } = table
  const standing = yield* peekEntries(content, kind)
  assert(
    Array.isArray(values) && values.length === entries.length && standing?.size === entries.length,
    'A list that was changed has as many entries as it should.',
  )
  assert(
    entries.every((entry) => standing.has(entry)),
    'A list that was changed has the entries that it should.',
  )
  yield
  assert(isDeepStrictEqual(same, others), 'A change of a list changes nothing else in its file.')
}

/** The message begins with Besu's wording, so searches for it find this one too. */
export function unreadable(path: string, what: string, advice: string): Fault {
  return usageFault(`Unable to read permissioning TOML config file : ${path} ${what}. ${advice}`)
}

/**
 * The TOML parser handles a text in one turn, so elements of long lists are parsed in batches, separately from the rest of the
 * file. If that fails, the parser gets the complete text and reports the error.
 */
function* parseInSlices(text: string): Sliced<TomlTable | TomlError> {
  let rest = text
  const lists: [string, TomlValue[]][] = []
  for (const key of LIST_KEYS) {
    const list = yield* findTomlList(rest, key)
    if (list === undefined || list.elements.length <= PARSED_AT_ONCE) continue
    const values = yield* parseElements(list)
    if (values === undefined) return parseToml(text)
    lists.push([key, values])
    rest = `${list.head}${list.rest}`
  }
  const table = parseToml(rest)
  if (rest === text) return table
  if (table instanceof TomlError || lists.some(([key]) => !isEmptyList(table[key]))) return parseToml(text)
  return Object.assign(table, Object.fromEntries(lists))
}

function* parseElements({ elements }: TomlList): Sliced<TomlValue[] | undefined> {
  const values: TomlValue[] = []
  for (let at = 0; at < elements.length; at += PARSED_AT_ONCE) {
    yield
    const some = elements.slice(at, at + PARSED_AT_ONCE)
    const isLast = at + some.length === elements.length
    if (!isLast && some.at(-1)?.hasComma === false) return undefined
    const texts = some.map(({ lead, token, gap, hasComma, trail }) =>
      [lead, token, gap, hasComma ? ',' : '', trail].join(''),
    )
    const table = parseToml(`list=[${texts.join('')}\n]`)
    if (table instanceof TomlError || !Array.isArray(table.list)) return undefined
    if (table.list.length !== some.length) return undefined
    values.push(...table.list)
  }
  return values
}

function isEmptyList(value: TomlValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0
}

function parseToml(text: string): TomlTable | TomlError {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError) return error
    throw error
  }
}

function* requireTable(content: PermissionsText, path: string): Sliced<TomlTable> {
  const table = yield* content.table()
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
    throw usageFault(`${key} in the permissions file ${path} is not a list. Write ${key}=["…", "…"].`)
  }
  const advice =
    table[oldKey] === undefined
      ? `Add a line ${key}=[…] above all tables; [] permits no ${entry}.`
      : `It has ${oldKey}, the name of old versions: rename it to ${key}.`
  throw usageFault(`${key} config option missing in TOML config file ${path}. ${advice}`)
}

function* placeOf({ text }: PermissionsText, { key }: ListKind, index: number): Sliced<string> {
  const element = (yield* findTomlList(text, key))?.elements[index]
  return element === undefined ? `entry ${index + 1}` : `line ${lineOfElement(text, element)}`
}

function rewriteFault({ key }: ListKind): Fault {
  return usageFault(
    `The key ${key} is not written as ${key}= at the top of the file, so the list cannot be changed there.`,
  )
}
