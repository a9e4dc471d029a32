/**
 * The room `rpc` owns everything between a socket and a method: transports, authentication, the dispatcher and
 * one file per method. It does not own what methods ask (chain, pool, peers): those are handed to it as ports.
 * This file is the seam between its three parts: `server/` receives messages and sends answers, `auth/` says
 * who calls, `dispatch.ts` turns one message into one answer.
 */

import type { RpcErrorKind } from '#rpc/errors.ts'
import type { AnswerBody } from '#serve/answer-text.ts'
import type { BytesOwner } from './json-text.ts'

export type Transport = 'http' | 'websocket'

/** Who sent a message, judged anew for every message because tokens expire while connections live. */
export interface Caller {
  /** Whether this caller may run the method: by its grants, or because the method is free of authentication. */
  mayCall(method: string): boolean
  /** The name in its token, for log lines; undefined: it has none, or needs none. */
  readonly user?: string | undefined
  /** Whole: whose account what it uses is charged to. Undefined: that of its address. */
  readonly account?: string | undefined
  /** Someone who should show a valid token and did not: gets little memory, whatever it may call. */
  readonly isAnonymous?: true
  /** Told of a call that `mayCall` refused, to count it and to say why in the log. */
  noteRefusal?(call: RefusedCall): void
}

/** What a log line may say of a refused call. */
export interface RefusedCall {
  readonly requestId: string
  /** Undefined: the message was refused before it was read. */
  readonly method?: string | undefined
  readonly traceparent?: string | undefined
}

/** A client that stays: over WebSocket, or the program that the node is part of. One object for each, for its whole life. */
export interface Connection {
  /**
   * `params` is JSON text: whoever tells many of the same makes it once. A client that does not read is sent away, and one
   * that is gone is told nothing.
   */
  notify(method: string, params: string): void
  /** More waits for this client than is on its way to it: who has much to tell had better wait. */
  readonly isBehind: boolean
  /** Resolves when it is not, or is gone. */
  caughtUp(): Promise<void>
  /** Once; at once if it is gone already. Returns the way to stop listening. */
  onClose(listener: () => void): () => void
}

export interface CallContext extends BytesOwner {
  readonly transport: Transport
  readonly caller: Caller
  /**
   * Absent where the client leaves with its answer. Whoever reads it means to notify: what is notified from then on waits
   * until the answer is out.
   */
  readonly connection?: Connection | undefined
  /** Aborted when the client left or the time is up. */
  readonly signal: AbortSignal
  /** Names the message in log lines; never its content. */
  readonly requestId: string
  /** As the client sent it, for log lines. */
  readonly traceparent?: string | undefined
  /** Where the client is, for log lines; undefined: in this process. */
  readonly remoteAddress?: string | undefined
}

/** What is to be sent back. Long results arrive in chunks so that memory does not grow with the answer. */
export type Answer =
  /** A notification: nothing is sent. */
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'single'
      /** Lets HTTP choose its status code. */
      readonly error: RpcErrorKind | null
      /**
       * True when no single request is answered but the message as a whole is refused: it is not JSON, `[]`, or a
       * batch over its limit or its time. HTTP treats some of these in another way than the same error of a call.
       */
      readonly isRefusal?: true
      /** It was refused because its caller has used up what it may use in a minute. */
      readonly retryAfterSeconds?: number | undefined
      readonly body: AnswerBody
    }
  | { readonly kind: 'batch'; readonly body: AnswerBody }

export interface Dispatcher {
  /** Never rejects: every failure is an answer. The message is not kept. */
  dispatch(message: Uint8Array, context: CallContext): Promise<Answer>
}
