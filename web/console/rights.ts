/** Which methods a node serves to this user, for actions that should not be shown in vain. */
import { grantsOf, request } from './rpc.ts'
import { state } from './state.ts'

export interface OpenRpcMethod {
  readonly name: string
  readonly summary: string
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: unknown }[]
  readonly examples?: readonly { readonly params: readonly { readonly value: unknown }[] }[]
}

export interface OpenRpc {
  readonly methods: readonly OpenRpcMethod[]
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const documents = new Map<number, Promise<OpenRpc>>()

export function discover(node: number): Promise<OpenRpc> {
  const known = documents.get(node)
  if (known !== undefined) return known
  const asked = request<OpenRpc>(node, 'rpc.discover')
  documents.set(node, asked)
  asked.catch(() => documents.delete(node))
  return asked
}

/** Undefined if the user may call the method; otherwise the reason. */
export function whyNot(node: number, method: string, document: OpenRpc | undefined): string | undefined {
  const authentication = state.setup?.authentication
  if (document !== undefined && !document.methods.some(({ name }) => name === method)) {
    return authentication === 'off'
      ? 'The console only reads, because the node does not authenticate its callers (--rpc-http-authentication-enabled).'
      : `The node does not serve ${method}.`
  }
  if (authentication === 'off') return undefined
  const [api, name] = method.split('_') as [string, string]
  const grants = grantsOf(node)
  if (['*:*', `${api}:*`, `${api}:${name}`].some((grant) => grants.includes(grant))) return undefined
  return `Your user has no grant for ${method}: it needs ${api}:${name}.`
}
