import { formatError } from '#rpc/dispatch/answer.ts'
import type { Answer } from '#rpc/dispatch/dispatcher.ts'
import { type RpcErrorKind, rpcError } from '#rpc/errors.ts'
import type { AnswerHead, HttpAnswer } from '#serve/http-answer.ts'
import type { BodyRefusal } from './body-collector.ts'
import { type HeightVerdict, MIN_HEIGHT_HEADER } from './height-gate.ts'

export const JSON_TYPE = 'application/json'
const NO_BODY = { contentType: null, body: '' } as const
const BAD_REQUEST = { status: 400, reason: 'Bad Request' } as const

const refusalBody = (kind: RpcErrorKind): string => formatError('null', rpcError(kind))

export const PARSE_ERROR_BODY = refusalBody('PARSE_ERROR')

export const ORIGIN_REFUSED: HttpAnswer = {
  status: 403,
  reason: 'CORS Rejected - Invalid origin',
  contentType: null,
  body: 'Exception thrown handling RPC',
}

export const NOT_A_WEBSOCKET: HttpAnswer = {
  ...BAD_REQUEST,
  contentType: null,
  body: "Websocket endpoint can't handle HTTP requests",
}

export const GREETING: HttpAnswer = { status: 201, reason: 'Created', ...NO_BODY }
export const NOT_ACCEPTABLE: HttpAnswer = { status: 406, reason: 'Not Acceptable', ...NO_BODY }

export const NOT_FOUND: HttpAnswer = {
  status: 404,
  reason: 'Not Found',
  contentType: 'text/html; charset=utf-8',
  body: '<html><body><h1>Resource not found</h1></body></html>',
}

export const UNAUTHORIZED: HttpAnswer = {
  status: 401,
  reason: 'Unauthorized',
  contentType: null,
  body: refusalBody('UNAUTHORIZED'),
}

export const BODY_TOO_LARGE: HttpAnswer = {
  status: 413,
  reason: 'Request Entity Too Large',
  contentType: null,
  body: 'Request Entity Too Large',
}

export const BODY_REFUSED: Readonly<Record<BodyRefusal, HttpAnswer>> = {
  'too-large': BODY_TOO_LARGE,
  malformed: { ...BAD_REQUEST, contentType: null, body: PARSE_ERROR_BODY },
  'no-room': {
    status: 503,
    reason: 'Service Unavailable',
    contentType: null,
    body: 'Too many large requests at once, try again',
  },
}

export const CALL_TIMED_OUT: HttpAnswer = {
  status: 504,
  reason: 'Gateway Timeout',
  contentType: null,
  body: 'Gateway Timeout',
  closes: true,
}

export const BATCH_TIMED_OUT: HttpAnswer = {
  status: 408,
  reason: 'Request Timeout',
  contentType: JSON_TYPE,
  body: refusalBody('TIMEOUT_ERROR'),
}

const JSON_REFUSED: AnswerHead = { ...BAD_REQUEST, contentType: JSON_TYPE }

export const HEIGHT_MALFORMED: HttpAnswer = {
  ...JSON_REFUSED,
  body: formatError(
    'null',
    rpcError('INVALID_REQUEST', {
      reason: `${MIN_HEIGHT_HEADER} is the number of a block, such as 1234 or 0x4d2`,
    }),
  ),
}

/** A status that makes balancers ask another node. */
const ELSEWHERE = { status: 503, reason: 'Service Unavailable', contentType: JSON_TYPE } as const

export function heightMissed(
  verdict: Exclude<HeightVerdict, 'reached'>,
  least: number,
  height: number,
): HttpAnswer {
  const error =
    verdict === 'not reached'
      ? rpcError('HEIGHT_NOT_REACHED', { reason: `${least} is wanted, ${height} is reached` })
      : rpcError('LIMIT_EXCEEDED', { reason: 'too many requests wait for a block' })
  return { ...ELSEWHERE, body: formatError('null', error) }
}

export function wrongMethod(method: string, allow: string): HttpAnswer {
  const answer = { status: 405, reason: 'Method Not Allowed', ...NO_BODY }
  return method === 'HEAD' ? answer : { ...answer, headers: ['allow', allow] }
}

/** Says no methods, age or credentials, as Besu. */
export function preflightAllowed(origin: string): HttpAnswer {
  const headers = ['access-control-allow-origin', origin, 'access-control-allow-headers', '*,content-type']
  return { status: 204, reason: 'No Content', ...NO_BODY, headers }
}

const OK: AnswerHead = { status: 200, reason: 'OK', contentType: JSON_TYPE }
/** What Besu refuses as a whole, before it looks at methods, carries no content type. */
const UNREADABLE: AnswerHead = { ...BAD_REQUEST, contentType: null }
const NOT_PERMITTED: AnswerHead = { status: 401, reason: 'Unauthorized', contentType: JSON_TYPE }

/** A status that makes clients wait and ask again by themselves. */
const TOO_MANY: AnswerHead = { status: 429, reason: 'Too Many Requests', contentType: JSON_TYPE }

export function headOf(answer: Answer): AnswerHead {
  if (answer.kind !== 'single') return OK
  if (answer.retryAfterSeconds !== undefined) return TOO_MANY
  switch (answer.error) {
    case 'PARSE_ERROR':
    case 'INVALID_REQUEST':
      return answer.isRefusal ? UNREADABLE : JSON_REFUSED
    case 'UNAUTHORIZED':
      return NOT_PERMITTED
    case 'TIMEOUT_ERROR':
      return answer.isRefusal ? BATCH_TIMED_OUT : OK
    default:
      return OK
  }
}
