/**
 * The room `jsonrpc` owns everything between a socket and a method: transports, authentication, dispatch, quotas and
 * the audit log. It serves any methods; `api` has those of this node. This file declares what its parts share:
 * `server/` receives messages and sends answers, `auth/` identifies callers, `dispatch/` turns one message into one
 * answer.
 */

import type { AnswerBody, SharedText } from '#serve/answer-text.ts'
import type { BytesOwner } from './dispatch/json-text.ts'
import type { RpcErrorKind } from './errors.ts'

export type Transport = 'http' | 'websocket'

/** The sender of a message, identified for every message because tokens expire while connections live. */
export interface Caller {
  /** True if a grant allows the method, or if the method needs no authentication. */
  mayCall(method: string): boolean
  /** The name in the token, shortened for log lines. */
  readonly user?: string | undefined
  /** The complete name in the token, whose account is charged. If undefined, the remote address is charged. */
  readonly account?: string | undefined
  /** True if a valid token is required and missing; such a caller gets little memory, whatever it may call. */
  readonly isAnonymous?: true
  /** Counts and logs a call that `mayCall` refused. */
  noteRefusal?(call: RefusedCall): void
}

export interface RefusedCall {
  readonly requestId: string
  /** Undefined if the message was refused before it was read. */
  readonly method?: string | undefined
  readonly traceparent?: string | undefined
}

/** A client that stays connected: over WebSocket, or the program that embeds the node. */
export interface Connection {
  /** `params` is JSON text, so the same text serves many clients. A client that does not read is disconnected. */
  notify(method: string, params: string | SharedText): void
  /** True if notifications queue up faster than the client reads; long streams should wait for `caughtUp`. */
  readonly isBehind: boolean
  /** Resolves when the client is not behind, or is gone. */
  caughtUp(): Promise<void>
  /** Calls the listener once, immediately if the connection is closed. Returns the function that unsubscribes. */
  onClose(listener: () => void): () => void
}

export interface CallContext extends BytesOwner {
  readonly transport: Transport
  readonly caller: Caller
  /** Absent if the client leaves with its answer. Reading it holds notifications back until the answer is sent. */
  readonly connection?: Connection | undefined
  /** Aborted when the client has left or the time is up. */
  readonly signal: AbortSignal
  /** Identifies the message in log lines. */
  readonly requestId: string
  /** The W3C trace context that the client sent, for log lines. */
  readonly traceparent?: string | undefined
  /** Undefined for calls from this process. */
  readonly remoteAddress?: string | undefined
}

/** Long results arrive in chunks, so memory does not grow with the answer. */
export type Answer =
  /** The answer to a notification. */
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'single'
      /** Determines the HTTP status. */
      readonly error: RpcErrorKind | null
      /** True if the complete message is refused, not one request; HTTP then answers with another status. */
      readonly isRefusal?: true
      /** Present if the caller has used up its limit. */
      readonly retryAfterSeconds?: number | undefined
      readonly body: AnswerBody
    }
  | { readonly kind: 'batch'; readonly body: AnswerBody }

export interface Dispatcher {
  /**
   * Never fails: every failure is an answer. The message is not retained. A promise only if something must be waited for,
   * since promises cost as much as a short method.
   */
  dispatch(message: Uint8Array, context: CallContext): Answer | Promise<Answer>
}
