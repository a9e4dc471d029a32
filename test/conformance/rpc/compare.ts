/** Compares answers completely, except for the parts that a suite names. */
export interface AnswerComparison {
  /** Excludes values from the comparison; `path` looks like `result.logs[0].hash`. */
  readonly ignores?: (path: string, expected: unknown, actual: unknown) => boolean
  /** True if the order of members matters. */
  readonly ordersMembers?: boolean
  /** Objects whose member names are data, in any order. */
  readonly isMap?: (path: string) => boolean
}

type Members = Readonly<Record<string, unknown>>

/**
 * Describes the first difference between two JSON values; undefined if they are equal. Numbers are compared by value.
 */
export function differenceOf(
  expected: unknown,
  actual: unknown,
  comparison: AnswerComparison = {},
  path = '',
): string | undefined {
  if (comparison.ignores?.(path, expected, actual)) return undefined
  const place = path === '' ? 'the answer' : path
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) {
      return `${place} has ${actual.length} elements, expected ${expected.length}`
    }
    for (const [index, item] of expected.entries()) {
      const difference = differenceOf(item, actual[index], comparison, `${path}[${index}]`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (isMembers(expected) && isMembers(actual)) return differenceOfMembers(expected, actual, comparison, path)
  return Object.is(expected, actual) ? undefined : `${place} is ${show(actual)}, expected ${show(expected)}`
}

function differenceOfMembers(
  expected: Members,
  actual: Members,
  comparison: AnswerComparison,
  path: string,
): string | undefined {
  const [theirs, ours] = [Object.keys(expected), Object.keys(actual)]
  for (const name of new Set([...theirs, ...ours])) {
    const inner = path === '' ? name : `${path}.${name}`
    if (comparison.ignores?.(inner, expected[name], actual[name])) continue
    if (!Object.hasOwn(actual, name)) return `${inner} is missing, expected ${show(expected[name])}`
    if (!Object.hasOwn(expected, name)) return `${inner} is too much: ${show(actual[name])}`
    const difference = differenceOf(expected[name], actual[name], comparison, inner)
    if (difference !== undefined) return difference
  }
  if (comparison.ordersMembers && !comparison.isMap?.(path) && theirs.join() !== ours.join()) {
    return `${path || 'the answer'} has the members ${ours.join()}, expected ${theirs.join()}`
  }
  return undefined
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const SHOWN_LENGTH = 160

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}
