/** JSON paths with the kind of each value: the common form of notifications on different chains. */
export function* formOf(value: unknown, path = ''): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    yield `${path}: list`
    for (const item of value) yield* formOf(item, `${path}[]`)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* formOf(member, `${path}.${name}`)
  } else yield `${path}: ${typeof value === 'string' && value.startsWith('0x') ? 'hex' : String(value)}`
}
