import { JsonNumber, type JsonObject, type JsonValue } from './json-value.ts'

/**
 * Writes JSON in the format of Besu's genesis files: two spaces of indent, ` : ` between key and value, lists on one
 * line, `{ }` and `[ ]` if empty, no final newline. Numbers keep their source text.
 */
export function formatJson(value: JsonValue): string {
  return formatValue(value, 0)
}

function formatValue(value: JsonValue, level: number): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return formatString(value)
  if (value instanceof JsonNumber) return value.text
  if (Array.isArray(value)) return formatArray(value, level)
  return formatObject(value, level)
}

/** A list does not add a level: an object inside it is indented like the list itself. */
function formatArray(array: JsonValue[], level: number): string {
  if (array.length === 0) return '[ ]'
  return `[ ${array.map((item) => formatValue(item, level)).join(', ')} ]`
}

function formatObject(object: JsonObject, level: number): string {
  if (object.size === 0) return '{ }'
  const indent = '  '.repeat(level + 1)
  const lines: string[] = []
  for (const [key, value] of object) {
    lines.push(`${indent}${formatString(key)} : ${formatValue(value, level + 1)}`)
  }
  return `{\n${lines.join(',\n')}\n${'  '.repeat(level)}}`
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function formatString(text: string): string {
  // Not JSON.stringify: it writes \u001b where Besu writes \u001B, and escapes lone surrogates.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must be escaped.
  const escaped = text.replace(/["\\\u0000-\u001f]/g, (character) => {
    const short = SHORT_ESCAPES[character]
    return short ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  })
  return `"${escaped}"`
}
