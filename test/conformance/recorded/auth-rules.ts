import type { RecordedEntry } from './entry.ts'
import type { Rule } from './play.ts'
import { encodeSegment } from './token-text.ts'

/**
 * Authentication answers that differ from the recording on purpose, and the expected answers. Keys are `file#index`.
 */
const JSON_TYPE = { 'content-type': 'application/json' }
const REQUIRED = 'Authentication failed: username and password are required.'
const PARSE_ERROR = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
const UNKNOWN_METHOD = { out: '{"jsonrpc":"2.0","method":"nope","id":99}' }
const METHOD_NOT_FOUND = '{"jsonrpc":"2.0","id":99,"error":{"code":-32601,"message":"Method not found"}}'
const UNAUTHORIZED = '{"jsonrpc":"2.0","id":1,"error":{"code":-40100,"message":"Unauthorized"}}'

/** The content of a token; its signature is not compared. */
const DOTTED_TOKEN = [
  encodeSegment({ typ: 'JWT', alg: 'RS256' }),
  encodeSegment({ permissions: ['*:*'], username: 'dotted.name', iat: 0, exp: 300 }),
  'x',
].join('.')

const DOTTED_NAME: Rule = {
  decision: 'C8',
  instead: (entry) => ({
    ...entry,
    status: 200,
    reason: 'OK',
    responseHeaders: { ...entry.responseHeaders, ...JSON_TYPE },
    response: JSON.stringify({ token: DOTTED_TOKEN }),
  }),
}

const MALFORMED_LOGIN: Rule = {
  decision: '31',
  instead: (entry) => ({ ...entry, status: 400, reason: 'Bad Request', response: REQUIRED }),
}

/** A token that Besu accepts. */
const REFUSED: Rule = {
  decision: '32',
  instead: (entry) => ({ ...entry, status: 401, reason: 'Unauthorized', response: UNAUTHORIZED }),
}

/** A token that Besu refuses. */
const ACCEPTED: Rule = {
  decision: '32',
  instead: (entry): RecordedEntry => ({
    ...entry,
    status: 200,
    reason: 'OK',
    response: '{"jsonrpc":"2.0","id":1,"result":"0x539"}',
  }),
}

/** One of its messages is not JSON, and one, a notification, has no answer, so the next message is answered first. */
const WITHOUT_TOKEN: Rule = {
  decision: '29',
  instead: (entry) => ({
    ...entry,
    frames: entry.frames!.flatMap((frame) => {
      if (frame.in?.includes('-32603')) return [{ in: PARSE_ERROR }]
      return frame.in?.includes('"NONE"') ? [UNKNOWN_METHOD, { in: METHOD_NOT_FOUND }] : [frame]
    }),
  }),
}

/** Besu's layered pool has no size. */
const POOL_SIZE: Rule = {
  decision: 'J22',
  instead: (entry) => {
    const sized = (text: string) => text.replaceAll('"maxSize":-1', '"maxSize":16384')
    return {
      ...entry,
      ...(entry.response == null ? {} : { response: sized(entry.response) }),
      ...(entry.frames === undefined
        ? {}
        : {
            frames: entry.frames.map((frame) => (frame.in === undefined ? frame : { in: sized(frame.in) })),
          }),
    }
  },
}

function credentialsRules(file: string): Record<string, Rule> {
  const rules: Record<string, Rule> = {}
  for (const index of [25, 56]) rules[`${file}#${index}`] = DOTTED_NAME
  for (const index of [35, 36, 38, 45, 46, 66, 67, 69, 76, 77]) rules[`${file}#${index}`] = MALFORMED_LOGIN
  for (const index of [151, 160, 190, 199, 255, 264, 268, 277, 314, 317, 322, 323]) {
    rules[`${file}#${index}`] = POOL_SIZE
  }
  rules[`${file}#310`] = WITHOUT_TOKEN
  return rules
}

export const AUTH_RULES: Readonly<Record<string, Rule>> = {
  ...credentialsRules('auth-credentials.json'),
  ...credentialsRules('auth-credentials-noauth-methods.json'),
  'auth-public-key-rs256.json#66': REFUSED,
  'auth-public-key-rs256.json#67': REFUSED,
  'auth-public-key-es256.json#66': REFUSED,
  'auth-public-key-es256.json#67': REFUSED,
  'auth-public-key-es256.json#68': REFUSED,
  'auth-public-key-es256.json#69': REFUSED,
  'auth-public-key-es256-secp256k1.json#0': ACCEPTED,
}
