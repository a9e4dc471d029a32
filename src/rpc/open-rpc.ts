import { toJSONSchema, type ZodType } from 'zod'
import type { Method } from './define-method.ts'

/** The OpenRPC document: what every method takes and gives, for tools that read instead of guess. */
export type OpenRpcDocument = {
  readonly openrpc: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly methods: readonly OpenRpcMethod[]
}

export type OpenRpcMethod = {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly paramStructure: 'by-position'
  readonly params: readonly OpenRpcValue[]
  readonly result: OpenRpcValue
}

export type OpenRpcValue = {
  readonly name: string
  readonly required?: boolean
  readonly schema: object
}

const OPENRPC_VERSION = '1.3.2'
/** That of the interface and not of the program: it is what rpc_modules reports. */
const INTERFACE_VERSION = '1.0.0'

export function describeMethods(methods: readonly Method[]): OpenRpcDocument {
  return {
    openrpc: OPENRPC_VERSION,
    info: {
      title: 'Cairn JSON-RPC',
      version: INTERFACE_VERSION,
      description: 'The methods that can be called over HTTP and WebSocket.',
    },
    methods: methods.flatMap((method) => [
      describeMethod(method, method.name),
      ...method.aliases.map((alias) => ({
        ...describeMethod(method, alias),
        description: `The same as ${method.name}.`,
      })),
    ]),
  }
}

function describeMethod(method: Method, name: string): OpenRpcMethod {
  return {
    name,
    summary: method.summary,
    paramStructure: 'by-position',
    params: Object.entries(method.params).map(([paramName, param]) => ({
      name: paramName,
      required: param.isRequired,
      schema: toSchema(param.schema),
    })),
    result: { name: 'result', schema: toSchema(method.result) },
  }
}

/** What stands on the wire, before it is decoded. */
export function toSchema(schema: ZodType): object {
  const { $schema: _, ...rest } = toJSONSchema(schema, { io: 'input', target: 'draft-7' })
  return rest
}
