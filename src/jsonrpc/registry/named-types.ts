/** Schemas with a title are types: described once, under their name, and referenced elsewhere. */
export type JsonSchema = { readonly [key: string]: unknown }

const COMPONENTS = '#/components/schemas/'

/** "block number or tag" becomes BlockNumberOrTag. */
function typeNameOf(title: string): string {
  return title.replaceAll(
    /[^A-Za-z0-9]*([A-Za-z0-9]+)/g,
    (_, word: string) => word[0]!.toUpperCase() + word.slice(1),
  )
}

/** The name that a schema refers to; undefined if it is not a reference. */
export function referredName({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' ? $ref.slice(COMPONENTS.length) : undefined
}

export class NamedTypes {
  readonly #byName = new Map<string, JsonSchema>()

  constructor(schemas: readonly JsonSchema[]) {
    const versions = new Map<string, Map<string, number>>()
    for (const schema of schemas) countTypes(schema, versions)
    for (const [name, counts] of versions) {
      const [text] = [...counts].sort(([, a], [, b]) => b - a)[0]!
      this.#byName.set(name, this.#referWithin(JSON.parse(text)) as JsonSchema)
    }
  }

  refer(schema: JsonSchema): JsonSchema {
    const inner = this.#referWithin(schema) as JsonSchema
    const name = nameOf(inner)
    if (name === undefined) return inner
    const reference = { $ref: COMPONENTS + name }
    // A member may have its own description.
    const { description } = inner
    return description === this.#byName.get(name)!.description ? reference : { ...reference, description }
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #referWithin(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#referAny(item))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#referAny(item)]))
  }

  #referAny(value: unknown): unknown {
    return isObject(value) ? this.refer(value) : this.#referWithin(value)
  }
}

/** Counts the versions of each type; two that differ in more than their description are a mistake. */
function countTypes(value: unknown, versions: Map<string, Map<string, number>>): void {
  if (Array.isArray(value)) for (const item of value) countTypes(item, versions)
  if (!isObject(value)) return
  for (const item of Object.values(value)) countTypes(item, versions)
  const name = nameOf(value)
  if (name === undefined) return
  const text = JSON.stringify(value)
  const counts = versions.get(name) ?? new Map<string, number>()
  const [other] = counts.keys()
  if (other !== undefined && typeOnly(JSON.parse(other)) !== typeOnly(value)) {
    throw new Error(`Two different types have the title '${value.title}'; give one of them another.`)
  }
  counts.set(text, (counts.get(text) ?? 0) + 1)
  versions.set(name, counts)
}

function typeOnly({ description: _, ...type }: JsonSchema): string {
  return JSON.stringify(type)
}

function nameOf({ title }: JsonSchema): string | undefined {
  return typeof title === 'string' ? typeNameOf(title) : undefined
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
