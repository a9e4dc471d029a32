export interface Difference {
  readonly path: string
  readonly ours: unknown
  readonly theirs: unknown
}

export type MayDiffer = (path: string, ours: unknown, theirs: unknown) => boolean

/** The first difference between two JSON values, except for permitted ones. */
export function firstDifference(
  ours: unknown,
  theirs: unknown,
  mayDiffer: MayDiffer,
  path = '',
): Difference | undefined {
  if (Object.is(ours, theirs)) return undefined
  if (!isObject(ours) || !isObject(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    return mayDiffer(path, ours, theirs) ? undefined : { path, ours, theirs }
  }
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const found = firstDifference(ours[key], theirs[key], mayDiffer, `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
