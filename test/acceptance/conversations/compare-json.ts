import { DEFAULT_JSON_LIMITS, parseJson } from '#types/json/json-parse.ts'
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'

export interface Comparison {
  /** Excludes values from the comparison, such as filter ids; `path` looks like `result.logs[0].hash`. */
  readonly ignores?: (path: string) => boolean
}

/**
 * Describes the first difference between two JSON texts; undefined if they are equal. Numbers are equal only if they
 * are written alike (1 is not 1.0). The order of members does not matter.
 */
export function firstDifference(
  expected: string,
  actual: string,
  comparison: Comparison = {},
): string | undefined {
  if (expected === actual) return undefined
  if (expected.trim() === '' || actual.trim() === '')
    return `expected ${quote(expected)}, got ${quote(actual)}`
  const limits = { ...DEFAULT_JSON_LIMITS, maxDepth: 1_000 }
  return compare(parseJson(expected, limits), parseJson(actual, limits), '', comparison)
}

function compare(
  expected: JsonValue,
  actual: JsonValue,
  path: string,
  comparison: Comparison,
): string | undefined {
  if (comparison.ignores?.(path)) return undefined
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) {
      return `${path || 'the answer'} has ${actual.length} elements, expected ${expected.length}`
    }
    return firstOf(expected, (item, index) => compare(item, actual[index]!, `${path}[${index}]`, comparison))
  }
  if (expected instanceof JsonObject && actual instanceof JsonObject) {
    const names = new Set([...expected.keys(), ...actual.keys()])
    return firstOf([...names], (name) => {
      const inner = path === '' ? name : `${path}.${name}`
      if (comparison.ignores?.(inner)) return undefined
      const [theirs, ours] = [expected.get(name), actual.get(name)]
      if (ours === undefined) return `${inner} is missing`
      if (theirs === undefined) return `${inner} is too much: ${show(ours)}`
      return compare(theirs, ours, inner, comparison)
    })
  }
  const [theirs, ours] = [show(expected), show(actual)]
  return theirs === ours ? undefined : `${path || 'the answer'} is ${ours}, expected ${theirs}`
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const difference = find(item, index)
    if (difference !== undefined) return difference
  }
  return undefined
}

function show(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text
  if (value instanceof JsonObject) return '{…}'
  return Array.isArray(value) ? '[…]' : JSON.stringify(value)
}

function quote(text: string): string {
  return text.trim() === '' ? 'nothing' : text
}
