/** Checks values against the schemas of an OpenRPC document; supports only the keywords that it uses. */
type Schema = Readonly<Record<string, unknown>>

export interface OpenRpcDocument {
  readonly methods: readonly {
    readonly name: string
    readonly result?: { readonly schema: Schema } | null
  }[]
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Describes how a result violates the document; undefined if it does not, or if the document lacks the method. */
export function resultProblem(
  document: OpenRpcDocument,
  method: string,
  result: unknown,
): string | undefined {
  const schema = document.methods.find(({ name }) => name === method)?.result?.schema
  return schema && problemOf(document, schema, result, 'result')
}

type Check = (
  document: OpenRpcDocument,
  word: never,
  value: unknown,
  path: string,
  schema: Schema,
) => string | undefined

/** Keywords that do not restrict values, or that another keyword reads. */
const SILENT: ReadonlySet<string> = new Set(['title', 'description', 'patternProperties'])

const CHECKS: Readonly<Record<string, Check>> = {
  $ref: (document, ref: string, value, path) => {
    const schema = placeOf(document, ref)
    return schema === undefined ? `${ref} is in no place` : problemOf(document, schema, value, path)
  },
  type: (_, type: string | readonly string[], value, path) =>
    [type].flat().some((name) => isOfType(value, name)) ? undefined : `${path} is no ${type}`,
  pattern: (_, pattern: string, value, path) =>
    typeof value !== 'string' || new RegExp(pattern).test(value)
      ? undefined
      : `${path} is not like ${pattern}`,
  minimum: (_, minimum: number, value, path) =>
    typeof value !== 'number' || value >= minimum ? undefined : `${path} is below ${minimum}`,
  maximum: (_, maximum: number, value, path) =>
    typeof value !== 'number' || value <= maximum ? undefined : `${path} is above ${maximum}`,
  enum: (_, values: readonly unknown[], value, path) =>
    values.includes(value) ? undefined : `${path} is none of ${values.join()}`,
  const: (_, only: unknown, value, path) => (value === only ? undefined : `${path} is not ${only}`),
  not: (document, schema: Schema, value, path) =>
    problemOf(document, schema, value, path) === undefined ? `${path} is what it must not be` : undefined,
  allOf: (document, schemas: readonly Schema[], value, path) =>
    firstProblem(schemas, (schema) => problemOf(document, schema, value, path)),
  anyOf: anyOf,
  // Types in the document overlap, because a hash is data too, so one or more matches suffice.
  oneOf: anyOf,
  items: (document, schema: Schema, value, path) =>
    Array.isArray(value)
      ? firstProblem([...value.entries()], ([index, item]) =>
          problemOf(document, schema, item, `${path}[${index}]`),
        )
      : undefined,
  required: (_, names: readonly string[], value, path) =>
    isObject(value)
      ? firstProblem(names, (name) => (name in value ? undefined : `${path}.${name} is missing`))
      : undefined,
  properties: (document, schemas: Readonly<Record<string, Schema>>, value, path) =>
    isObject(value)
      ? firstProblem(Object.entries(schemas), ([name, schema]) =>
          name in value ? problemOf(document, schema, value[name], `${path}.${name}`) : undefined,
        )
      : undefined,
  additionalProperties: (document, word: boolean | Schema, value, path, schema) => {
    if (!isObject(value) || word === true) return undefined
    const patterns = Object.keys((schema.patternProperties as object | undefined) ?? {})
    const others = Object.keys(value).filter(
      (name) =>
        !(name in ((schema.properties as object | undefined) ?? {})) &&
        !patterns.some((pattern) => new RegExp(pattern).test(name)),
    )
    if (word === false) return others.length === 0 ? undefined : `${path} has ${others.join()} besides`
    return firstProblem(others, (name) => problemOf(document, word, value[name], `${path}.${name}`))
  },
}

function problemOf(
  document: OpenRpcDocument,
  schema: Schema,
  value: unknown,
  path: string,
): string | undefined {
  return firstProblem(Object.entries(schema), ([name, word]) => {
    if (SILENT.has(name)) return undefined
    const check = CHECKS[name]
    return check ? check(document, word as never, value, path, schema) : `the word ${name} is not known`
  })
}

function anyOf(
  document: OpenRpcDocument,
  schemas: readonly Schema[],
  value: unknown,
  path: string,
): string | undefined {
  const problems = schemas.map((schema) => problemOf(document, schema, value, path))
  return problems.includes(undefined) ? undefined : `${path} is none of its kinds: ${problems.join('; ')}`
}

function firstProblem<Item>(
  items: readonly Item[],
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const problem = find(item)
    if (problem !== undefined) return problem
  }
  return undefined
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Resolves `#/components/schemas/Name` and paths within it. */
function placeOf(document: OpenRpcDocument, ref: string): Schema | undefined {
  let place: unknown = document
  for (const name of ref.split('/').slice(1)) place = (place as Readonly<Record<string, unknown>>)?.[name]
  return place as Schema | undefined
}
