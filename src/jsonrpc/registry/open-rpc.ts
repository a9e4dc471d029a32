import { toJSONSchema, type ZodType } from 'zod'
import type { Method } from '#jsonrpc/method.ts'
import { type JsonSchema, NamedTypes } from './named-types.ts'

/** The OpenRPC document. */
export type OpenRpcDocument = ReturnType<typeof describeMethods>

export type OpenRpcMethod = ReturnType<typeof describeMethod>

export type OpenRpcExample = {
  readonly name: string
  readonly params: readonly { readonly name: string; readonly value: unknown }[]
  readonly result: { readonly name: 'result'; readonly value: unknown }
}

const OPENRPC_VERSION = '1.3.2'
/** The version of the interface, not of the program; rpc_modules reports it. */
const INTERFACE_VERSION = '1.0.0'

/** By method name. */
export type MethodExamples = Readonly<Record<string, OpenRpcExample>>

export function describeMethods(methods: readonly Method[], examples: MethodExamples) {
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
) {
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

/** The wire form, before decoding. */
function toSchema(schema: ZodType): JsonSchema {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return rest
}
