import { type RpcError, type RpcErrorKind, rpcError } from '#rpc/errors.ts'
import type { Answer } from './dispatcher.ts'

/** `id` and `result` are JSON text. The order of members is Besu's. */
export function formatResult(id: string, result: string): string {
  return `${resultStart(id)}${result}}`
}

/** What stands before a result that arrives in chunks; `}` ends it. */
export function resultStart(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`
}

export function formatError(id: string, { code, message, data }: RpcError): string {
  const error = data === undefined ? { code, message } : { code, message, data }
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}

/** Refuses a message as a whole. Also for the server, which refuses some before they reach the dispatcher. */
export function refuseMessage(kind: RpcErrorKind): Answer {
  return { kind: 'single', error: kind, isRefusal: true, body: formatError('null', rpcError(kind)) }
}
