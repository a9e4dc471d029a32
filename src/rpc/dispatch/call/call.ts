import type { CallContext, RefusedCall } from '#rpc/dispatch/dispatcher.ts'
import type { RpcErrorKind } from '#rpc/errors.ts'
import type { AnswerBody } from '#serve/answer-text.ts'

/** One request on its way through the stages. */
export interface Call {
  /** JSON text. */
  readonly id: string
  /** As the client wrote it: an alias stays an alias. */
  readonly name: string
  readonly params: readonly unknown[]
  readonly context: CallContext
}

/** The answer to one request. */
export interface Reply {
  readonly error: RpcErrorKind | null
  readonly body: AnswerBody
  /** Present if the caller has used up its limit. */
  readonly retryAfterSeconds?: number | undefined
}

/** Clients choose the names that they call, so a log line holds only enough of one to recognise it. */
const LOGGED_NAME_LENGTH = 64

export function describeCall(name: string | undefined, { requestId, traceparent }: CallContext): RefusedCall {
  return { requestId, method: name?.slice(0, LOGGED_NAME_LENGTH), traceparent }
}
