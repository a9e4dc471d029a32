import type { Plants } from './plant.ts'

const AUTHENTICATOR = 'src/jsonrpc/auth/create-authenticator.ts'
const AUTHENTICATOR_TEST = 'src/jsonrpc/auth/create-authenticator.test.ts'
const TOKENS = 'src/jsonrpc/auth/tokens.ts'
const TOKENS_TEST = 'src/jsonrpc/auth/tokens.test.ts'
const LOGIN = 'src/jsonrpc/auth/login.ts'
const LOGIN_TEST = 'src/jsonrpc/auth/login.test.ts'
const GRANTS = 'src/jsonrpc/auth/grants.ts'
const GRANTS_TEST = 'src/jsonrpc/auth/grants.test.ts'
const LIMIT = 'src/jsonrpc/auth/login-limit.ts'
const LIMIT_TEST = 'src/jsonrpc/auth/login-limit.test.ts'
const KEY = 'src/jsonrpc/auth/public-key.ts'
const KEY_TEST = 'src/jsonrpc/auth/public-key.test.ts'
const CREDENTIALS = 'src/jsonrpc/auth/credentials.ts'
const CREDENTIALS_TEST = 'src/jsonrpc/auth/credentials.test.ts'

export const AUTH_PLANTS: Plants = {
  'auth-known-token-never-expires': {
    mistake: 'a cached token stays valid after it expired',
    file: AUTHENTICATOR,
    from: 'return problem === null ? recognised.caller : anonymous(problem)',
    to: 'return recognised.caller',
    caughtBy: AUTHENTICATOR_TEST,
  },
  'auth-tail-is-enough': {
    mistake: 'a token with the last characters of a known one is accepted',
    file: AUTHENTICATOR,
    from: 'if (found?.token === token) return found',
    to: 'if (found !== undefined) return found',
    caughtBy: AUTHENTICATOR_TEST,
  },
  'auth-new-key-keeps-old-tokens': {
    mistake: 'tokens of the previous public key are still accepted',
    file: AUTHENTICATOR,
    from: '      known.clear()\n',
    to: '',
    caughtBy: AUTHENTICATOR_TEST,
  },
  'auth-any-scheme': {
    mistake: 'a token is read after any Authorization scheme',
    file: AUTHENTICATOR,
    from: 'return authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : null',
    to: 'return authorization.slice(BEARER.length)',
    caughtBy: AUTHENTICATOR_TEST,
  },
  'auth-token-valid-at-expiry': {
    mistake: 'a token is valid at the moment of its expiry',
    file: TOKENS,
    from: 'nowMs >= claims.expiresAtMs',
    to: 'nowMs > claims.expiresAtMs',
    caughtBy: TOKENS_TEST,
  },
  'auth-not-before-ignored': {
    mistake: 'a token is valid before its nbf',
    file: TOKENS,
    from: 'Math.max(Number(iat), Number(nbf))',
    to: 'Number(iat)',
    caughtBy: TOKENS_TEST,
  },
  'auth-issued-in-future': {
    mistake: 'a token issued in the future is valid',
    file: TOKENS,
    from: 'Math.max(Number(iat), Number(nbf))',
    to: 'Number(nbf)',
    caughtBy: TOKENS_TEST,
  },
  'auth-exp-not-needed': {
    mistake: 'a token without exp never expires',
    file: TOKENS,
    from: 'const { permissions, username, sub, exp, iat = 0, nbf = 0 } = payload',
    to: 'const { permissions, username, sub, exp = 2 ** 40, iat = 0, nbf = 0 } = payload',
    caughtBy: TOKENS_TEST,
  },
  'auth-crit-ignored': {
    mistake: 'a token with an unknown critical extension is accepted',
    file: TOKENS,
    from: "return header.crit === undefined ? readClaims(payload) : 'invalid token'",
    to: 'return readClaims(payload)',
    caughtBy: TOKENS_TEST,
  },
  'auth-any-algorithm': {
    mistake: 'a token signed by another algorithm than the chosen one is accepted',
    file: TOKENS,
    from: '    algorithms: [algorithm],\n',
    to: '',
    caughtBy: TOKENS_TEST,
  },
  'auth-long-lived-tokens': {
    mistake: 'a login is valid for fifty minutes instead of five',
    file: TOKENS,
    from: 'const LIFETIME_SECONDS = 300',
    to: 'const LIFETIME_SECONDS = 3_000',
    caughtBy: TOKENS_TEST,
  },
  'auth-grant-prefix': {
    mistake: 'a grant for eth:get allows eth_getBalance',
    file: GRANTS,
    from: 'return held.has(exact) || held.has(inNamespace) || noAuthMethods.has(method)',
    to: 'return grants.some((grant) => exact.startsWith(grant)) || held.has(inNamespace) || noAuthMethods.has(method)',
    caughtBy: GRANTS_TEST,
  },
  'auth-namespace-not-granted': {
    mistake: 'eth:* grants nothing',
    file: GRANTS,
    from: 'held.has(exact) || held.has(inNamespace) || noAuthMethods.has(method)',
    to: 'held.has(exact) || noAuthMethods.has(method)',
    caughtBy: GRANTS_TEST,
  },
  'auth-anonymous-may-all': {
    mistake: 'a caller without a token may call everything',
    file: GRANTS,
    from: 'mayCall: (method) => noAuthMethods.has(method),',
    to: 'mayCall: (method) => noAuthMethods.has(method) || true,',
    caughtBy: GRANTS_TEST,
  },
  'auth-login-without-limit': {
    mistake: 'logins beyond the limit are still verified',
    file: LOGIN,
    from: '    if (!admission.ok) {\n',
    to: '    if (!admission.ok && admission.retryAfterSeconds < 0) {\n',
    caughtBy: LOGIN_TEST,
  },
  'auth-wrong-password-enters': {
    mistake: 'a wrong password gets a token',
    file: LOGIN,
    from: "usableHash === null || verdict === 'mismatch') {",
    to: 'usableHash === null) {',
    caughtBy: LOGIN_TEST,
  },
  'auth-unusable-entry-enters': {
    mistake: 'a user whose entry is invalid can log in',
    file: LOGIN,
    from: ' || user.passwordHash === null || user.hasInvalidValues) return null',
    to: ' || user.passwordHash === null) return null',
    caughtBy: LOGIN_TEST,
  },
  'auth-large-login-body': {
    mistake: 'a login body of any size is parsed',
    file: LOGIN,
    from: '    if (body.length > BODY_MAX_BYTES) return TOO_LARGE\n',
    to: '',
    caughtBy: LOGIN_TEST,
  },
  'auth-login-limit-forgets': {
    mistake: 'logins are not counted',
    file: LIMIT,
    from: '      fullAtMs.set(key, nextFullAtMs)\n',
    to: '',
    caughtBy: LIMIT_TEST,
  },
  'auth-login-limit-refused-counts': {
    mistake: 'a client that waits as asked is refused again, because refusals count',
    file: LIMIT,
    from: '      if (waitMs > 1e-3)',
    to: '      fullAtMs.set(key, nextFullAtMs)\n      if (waitMs > 1e-3)',
    caughtBy: LIMIT_TEST,
  },
  'auth-ipv6-each-address': {
    mistake: 'every IPv6 address of one customer has its own attempts',
    file: 'src/types/ip.ts',
    from: '.slice(0, 4)\n',
    to: '.slice(0, 8)\n',
    caughtBy: LIMIT_TEST,
  },
  'auth-short-rsa-key': {
    mistake: 'an RSA key of 1,024 bits is accepted',
    file: KEY,
    from: 'const RSA_MIN_BITS = 2048',
    to: 'const RSA_MIN_BITS = 1024',
    caughtBy: KEY_TEST,
  },
  'auth-any-curve': {
    mistake: 'a key on the wrong curve is accepted',
    file: KEY,
    from: "if (type !== 'ec' || !curves.includes(details?.namedCurve ?? '')) {",
    to: "if (type !== 'ec') {",
    caughtBy: KEY_TEST,
  },
  'auth-private-key-accepted': {
    mistake: 'a private key is accepted in place of the public one',
    file: KEY,
    from: "if (label.includes('PRIVATE KEY')) {",
    to: "if (label === 'PRIVATE') {",
    caughtBy: KEY_TEST,
  },
  'auth-key-never-reloaded': {
    mistake: 'a public key that was replaced is never read again',
    file: KEY,
    from: 'if (Math.abs(nowMs - lookedAtMs) >= RELOAD_PERIOD_MS) {',
    to: 'if (nowMs < 0) {',
    caughtBy: KEY_TEST,
  },
  'auth-users-twice': {
    mistake: 'the second of two users with the same name wins',
    file: CREDENTIALS,
    from: 'if (users.has(name)) throw',
    to: 'if (name === undefined) throw',
    caughtBy: CREDENTIALS_TEST,
  },
  'auth-error-quotes-file': {
    mistake: 'the error about a broken credentials file quotes its lines, with hashes',
    file: CREDENTIALS,
    from: ".split('\\n', 1)[0]?.replace",
    to: '.replace',
    caughtBy: CREDENTIALS_TEST,
  },
}
