import type { KeyObject } from 'node:crypto'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Secret } from '#platform/secret.ts'
import type { Caller, RefusedCall } from '#rpc/dispatch/dispatcher.ts'
import type { Authenticator } from './authenticator.ts'
import { createCredentialsFile } from './credentials.ts'
import { createAnonymousCaller, createGrantedCaller, UNRESTRICTED_CALLER } from './grants.ts'
import { createLogin, LOGIN_NOT_ENABLED, type Login } from './login.ts'
import type { AdmitLogin } from './login-limit.ts'
import type { PasswordVerifier } from './password-verifier.ts'
import { createPublicKeyFile, type TokenAlgorithm } from './public-key.ts'
import { RecentMap } from './recent-map.ts'
import { type AuthMetrics, Refusals, type TokenProblem } from './refusals.ts'
import {
  createTokenIssuer,
  createTokenVerifier,
  problemAt,
  type TokenClaims,
  type TokenVerifier,
} from './tokens.ts'

const BEARER = 'Bearer '
/** Verifying a signature costs some 50 microseconds, finding a token again less than one. */
const KNOWN_TOKENS_MAX = 2_048
/** With the count above: at most 16 MB. A longer token is verified every time. */
const KNOWN_TOKEN_MAX_CHARS = 8_192
/**
 * Tokens are found by the end of their signature and then compared as a whole. Hashing the whole text would
 * be most of the cost of finding it, and nobody gets to the comparison without 192 bits of a signature.
 */
const TOKEN_TAIL_CHARS = 32

export type AuthenticatorOptions =
  | { readonly mode: 'off' }
  | ({
      readonly mode: 'credentials'
      readonly credentialsFile: string
      /** PKCS #8 PEM of this transport's own key, from `generateTokenKey` on the main thread. */
      readonly tokenKey: Secret<string>
      readonly admitLogin: AdmitLogin
      readonly passwords: PasswordVerifier
    } & CommonOptions)
  | ({
      readonly mode: 'publicKey'
      readonly publicKeyFile: string
      readonly algorithm: TokenAlgorithm
    } & CommonOptions)

interface CommonOptions {
  readonly noAuthMethods: ReadonlySet<string>
  readonly clock: Clock
  readonly log: Log
  readonly metrics: AuthMetrics
}

/** Throws a Fault when the public key cannot be used. The credentials file is checked by `checkCredentialsFile`. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  switch (options.mode) {
    case 'off':
      return {
        refusesUnread: () => false,
        identify: () => UNRESTRICTED_CALLER,
        login: () => Promise.resolve(LOGIN_NOT_ENABLED),
      }
    case 'credentials': {
      const { clock, credentialsFile, tokenKey } = options
      const issuer = createTokenIssuer(tokenKey)
      const login = createLogin({
        ...options,
        credentials: createCredentialsFile(credentialsFile),
        issueToken: (user) => issuer.issue(user, clock.wallMs()),
      })
      return createTokenAuthenticator(options, issuer.algorithm, () => issuer.publicKey, login)
    }
    case 'publicKey': {
      const { publicKeyFile, algorithm, clock, log } = options
      const file = createPublicKeyFile(publicKeyFile, algorithm, clock, log)
      const login = () => Promise.resolve(LOGIN_NOT_ENABLED)
      return createTokenAuthenticator(options, algorithm, (nowMs) => file.keyAt(nowMs), login)
    }
  }
}

interface KnownToken {
  readonly token: string
  readonly claims: TokenClaims
  readonly caller: Caller
}

function createTokenAuthenticator(
  { noAuthMethods, clock, log, metrics }: CommonOptions,
  algorithm: TokenAlgorithm,
  keyAt: (nowMs: number) => KeyObject,
  login: Login,
): Authenticator {
  const refusals = new Refusals(metrics, log, clock)
  const anonymous = (problem: TokenProblem): Caller =>
    createAnonymousCaller(noAuthMethods, (call) => refusals.note(problem, call))
  /** Only tokens that verified: others could fill it with what they make up. */
  const known = new RecentMap<string, KnownToken>(KNOWN_TOKENS_MAX)
  let key: KeyObject | undefined
  let verify: TokenVerifier = () => 'invalid token'

  const recognise = (token: string, nowMs: number): KnownToken | TokenProblem => {
    const currentKey = keyAt(nowMs)
    if (currentKey !== key) {
      key = currentKey
      verify = createTokenVerifier(algorithm, currentKey)
      known.clear()
    }
    const tail = token.slice(-TOKEN_TAIL_CHARS)
    const found = known.get(tail)
    if (found?.token === token) return found
    const claims = verify(token)
    if (typeof claims === 'string') return claims
    const { grants, user, account } = claims
    const noteRefusal = (call: RefusedCall) => refusals.note('grant missing', call, user)
    const caller = createGrantedCaller(grants, noAuthMethods, noteRefusal, { user, account })
    const recognised = { token, claims, caller }
    if (token.length <= KNOWN_TOKEN_MAX_CHARS && problemAt(claims, nowMs) === null)
      known.set(tail, recognised)
    return recognised
  }

  return {
    refusesUnread: (authorization) => noAuthMethods.size === 0 && bearerToken(authorization) === null,
    identify(authorization) {
      const token = bearerToken(authorization)
      if (token === null) return anonymous('no token')
      const nowMs = clock.wallMs()
      const recognised = recognise(token, nowMs)
      if (typeof recognised === 'string') return anonymous(recognised)
      const problem = problemAt(recognised.claims, nowMs)
      return problem === null ? recognised.caller : anonymous(problem)
    },
    login,
  }
}

/** As Besu: the scheme in this very spelling, and one blank. */
function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length === BEARER.length) return null
  return authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : null
}
