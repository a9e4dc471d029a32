import type { CallContext, RefusedCall } from '#jsonrpc/dispatcher.ts'
import type { RpcErrorKind } from '#jsonrpc/errors.ts'
import type { AnswerBody } from '#serve/answer-text.ts'

export interface Call {
  /** JSON text. */
  readonly id: string
  /** The name that the client used, which may be an alias. */
  readonly name: string
  readonly params: readonly unknown[]
  readonly context: CallContext
}

export interface Reply {
  readonly error: RpcErrorKind | null
  readonly body: AnswerBody
  /** Present if the caller has used up its limit. */
  readonly retryAfterSeconds?: number | undefined
}

/** Clients choose method names, so a log line contains only the beginning of one. */
const LOGGED_NAME_LENGTH = 64

export function describeCall(name: string | undefined, { requestId, traceparent }: CallContext): RefusedCall {
  return { requestId, method: name?.slice(0, LOGGED_NAME_LENGTH), traceparent }
}
