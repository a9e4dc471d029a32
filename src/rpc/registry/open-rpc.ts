import { toJSONSchema, type ZodType } from 'zod'
import type { Method } from '#rpc/define-method.ts'
import { type JsonSchema, NamedTypes } from './named-types.ts'

/** The OpenRPC document: parameters and result of every method, for tools. */
export type OpenRpcDocument = {
  readonly openrpc: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly methods: readonly OpenRpcMethod[]
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

export type OpenRpcMethod = {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly paramStructure: 'by-position'
  readonly params: readonly OpenRpcValue[]
  readonly result: OpenRpcValue
  readonly examples?: readonly OpenRpcExample[]
}

/** A call and its answer. */
export type OpenRpcExample = {
  readonly name: string
  readonly params: readonly { readonly name: string; readonly value: unknown }[]
  readonly result: { readonly name: 'result'; readonly value: unknown }
}

export type OpenRpcValue = {
  readonly name: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

const OPENRPC_VERSION = '1.3.2'
/** That of the interface and not of the program: it is what rpc_modules reports. */
const INTERFACE_VERSION = '1.0.0'

/** Examples by the name of the method. */
export type MethodExamples = Readonly<Record<string, OpenRpcExample>>

export function describeMethods(methods: readonly Method[], examples: MethodExamples): OpenRpcDocument {
  const plain = methods.map(toSchemas)
  const types = new NamedTypes(plain.flatMap(({ params, result }) => [...params, result]))
  return {
    openrpc: OPENRPC_VERSION,
    info: {
      title: 'Cairn JSON-RPC',
      version: INTERFACE_VERSION,
      description: 'The methods that can be called over HTTP and WebSocket.',
    },
    methods: methods.flatMap((method, at) => {
      const described = describeMethod(method, plain[at]!, types, examples[method.name])
      const description = `The same as ${method.name}.`
      return [described, ...method.aliases.map((name) => ({ ...described, name, description }))]
    }),
    components: { schemas: types.all() },
  }
}

interface MethodSchemas {
  readonly params: readonly JsonSchema[]
  readonly result: JsonSchema
}

function toSchemas({ params, result }: Method): MethodSchemas {
  return { params: Object.values(params).map(({ schema }) => toSchema(schema)), result: toSchema(result) }
}

function describeMethod(
  { name, summary, params }: Method,
  schemas: MethodSchemas,
  types: NamedTypes,
  example: OpenRpcExample | undefined,
): OpenRpcMethod {
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: Object.entries(params).map(([paramName, { isRequired }], at) => ({
      name: paramName,
      required: isRequired,
      schema: types.refer(schemas.params[at]!),
    })),
    result: { name: 'result', schema: types.refer(schemas.result) },
    ...(example && { examples: [example] }),
  }
}

/** What stands on the wire, before it is decoded. */
function toSchema(schema: ZodType): JsonSchema {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return rest
}
