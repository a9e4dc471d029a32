export interface AnswerHead {
  readonly status: number
  readonly reason: string
  readonly contentType: string | null
}

/** A whole HTTP answer. Reason phrases and missing content types are Besu's, and clients look. */
export interface HttpAnswer extends AnswerHead {
  readonly body: string
  /** Names and values in turn. */
  readonly headers?: readonly string[]
  /** The connection ends with this answer. */
  readonly closes?: boolean
}

export const BAD_HOST: HttpAnswer = {
  status: 400,
  reason: 'Bad Request',
  contentType: null,
  body: 'Bad Request',
}

export const HOST_REFUSED: HttpAnswer = {
  status: 403,
  reason: 'Forbidden',
  contentType: 'application/json; charset=utf-8',
  body: '{"message":"Host not authorized."}',
}

export const INTERNAL_ERROR: HttpAnswer = {
  status: 500,
  reason: 'Internal Server Error',
  contentType: null,
  body: 'Internal Server Error',
}

/** A status and nothing else. */
export function emptyAnswer(status: number, reason: string): HttpAnswer {
  return { status, reason, contentType: null, body: '' }
}

/** The bytes of an answer for a connection that Node's HTTP server no longer minds; it closes. */
export function rawAnswer({ status, reason, body }: HttpAnswer): string {
  return `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}
