export interface AnswerHead {
  readonly status: number
  readonly reason: string
  readonly contentType: string | null
}

/** A complete HTTP answer. Reason phrases and missing content types are Besu's, because clients check them. */
export interface HttpAnswer extends AnswerHead {
  readonly body: string
  /** Alternating names and values. */
  readonly headers?: readonly string[]
  /** Closes the connection after this answer. */
  readonly closes?: boolean
}

/** A text without a content type, as Besu sends it; by default the reason. */
export function textAnswer(status: number, reason: string, body = reason): HttpAnswer {
  return { status, reason, contentType: null, body }
}

export const BAD_HOST = textAnswer(400, 'Bad Request')

export const HOST_REFUSED: HttpAnswer = {
  status: 403,
  reason: 'Forbidden',
  contentType: 'application/json; charset=utf-8',
  body: '{"message":"Host not authorized."}',
}

export const INTERNAL_ERROR = textAnswer(500, 'Internal Server Error')

export function emptyAnswer(status: number, reason: string): HttpAnswer {
  return textAnswer(status, reason, '')
}

/** The bytes of an answer on a connection that Node's HTTP server no longer handles. The connection closes. */
export function rawAnswer({ status, reason, body }: HttpAnswer): string {
  return `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}
