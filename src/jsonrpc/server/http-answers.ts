import { formatError } from '#jsonrpc/dispatch/answer.ts'
import type { Answer } from '#jsonrpc/dispatcher.ts'
import { type RpcErrorKind, rpcError } from '#jsonrpc/errors.ts'
import { type AnswerHead, emptyAnswer, type HttpAnswer, textAnswer } from '#serve/http-answer.ts'
import type { BodyRefusal } from './body-collector.ts'
import { type HeightVerdict, MIN_HEIGHT_HEADER } from './height-gate.ts'

export const JSON_TYPE = 'application/json'
const BAD_REQUEST = { status: 400, reason: 'Bad Request' } as const

const refusalBody = (kind: RpcErrorKind): string => formatError('null', rpcError(kind))

export const PARSE_ERROR_BODY = refusalBody('PARSE_ERROR')

export const ORIGIN_REFUSED = textAnswer(
  403,
  'CORS Rejected - Invalid origin',
  'Exception thrown handling RPC',
)
export const NOT_A_WEBSOCKET = textAnswer(400, 'Bad Request', "Websocket endpoint can't handle HTTP requests")
/** Besu's answer to `GET /`. */
export const GREETING = emptyAnswer(201, 'Created')

/** The same for a person: browsers and curl say that they take text. */
export const READABLE_GREETING: HttpAnswer = {
  ...GREETING,
  contentType: 'text/plain; charset=utf-8',
  body: `This is the JSON-RPC endpoint of a Cairn node. Send requests by POST:

  curl --json '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}' <this URL>

GET /liveness and GET /readiness report its health.
`,
}
export const NOT_ACCEPTABLE = emptyAnswer(406, 'Not Acceptable')

export const NOT_FOUND: HttpAnswer = {
  status: 404,
  reason: 'Not Found',
  contentType: 'text/html; charset=utf-8',
  body: '<html><body><h1>Resource not found</h1></body></html>',
}

export const UNAUTHORIZED = textAnswer(401, 'Unauthorized', refusalBody('UNAUTHORIZED'))
export const BODY_TOO_LARGE = textAnswer(413, 'Request Entity Too Large')

export const BODY_REFUSED: Readonly<Record<BodyRefusal, HttpAnswer>> = {
  'too-large': BODY_TOO_LARGE,
  malformed: textAnswer(400, 'Bad Request', PARSE_ERROR_BODY),
  'no-room': textAnswer(503, 'Service Unavailable', 'Too many large requests at once, try again'),
}

export const CALL_TIMED_OUT: HttpAnswer = { ...textAnswer(504, 'Gateway Timeout'), closes: true }

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

/** Makes load balancers ask another node. */
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
  const answer = emptyAnswer(405, 'Method Not Allowed')
  return method === 'HEAD' ? answer : { ...answer, headers: ['allow', allow] }
}

/** Without methods, age or credentials, as in Besu. */
export function preflightAllowed(origin: string): HttpAnswer {
  const headers = ['access-control-allow-origin', origin, 'access-control-allow-headers', '*,content-type']
  return { ...emptyAnswer(204, 'No Content'), headers }
}

const OK: AnswerHead = { status: 200, reason: 'OK', contentType: JSON_TYPE }
/** As in Besu, messages refused before any method have no content type. */
const UNREADABLE: AnswerHead = { ...BAD_REQUEST, contentType: null }
const NOT_PERMITTED: AnswerHead = { status: 401, reason: 'Unauthorized', contentType: JSON_TYPE }

/** Makes clients wait and retry by themselves. */
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
