import type { Caller } from '#rpc/dispatch/dispatcher.ts'

/** Says who calls on one transport. HTTP and WebSocket have one each, with keys of their own. */
export interface Authenticator {
  /** Whether a message can be refused before it is read: no bearer token, and every method needs one. */
  refusesUnread(authorization: string | undefined): boolean
  /** The caller behind an Authorization header; one without a valid token may call only what needs none. */
  identify(authorization: string | undefined): Caller
  /** Answers the body of a POST /login. */
  login(body: Uint8Array, remoteAddress: string): Promise<LoginAnswer>
}

/** An HTTP answer, spelled out because Besu's clients look at the reason phrase and the text. */
export interface LoginAnswer {
  readonly status: number
  readonly reason: string
  readonly contentType: string | null
  readonly body: string
  /** Names and values in turn. */
  readonly headers?: readonly string[]
}
