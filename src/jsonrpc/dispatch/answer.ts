import type { Answer } from '#jsonrpc/dispatcher.ts'
import { type RpcError, type RpcErrorKind, rpcError } from '#jsonrpc/errors.ts'

/** `id` and `result` are JSON text, in Besu's member order. */
export function formatResult(id: string, result: string): string {
  return `${resultStart(id)}${result}}`
}

/** The text before a result that arrives in chunks; `}` ends it. */
export function resultStart(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`
}

export function formatError(id: string, { code, message, data }: RpcError): string {
  const error = data === undefined ? { code, message } : { code, message, data }
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}

/** Refuses a complete message. The server uses it too, for messages that never reach the dispatcher. */
export function refuseMessage(kind: RpcErrorKind): Answer {
  return { kind: 'single', error: kind, isRefusal: true, body: formatError('null', rpcError(kind)) }
}
