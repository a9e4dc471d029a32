import type { KeyObject } from 'node:crypto'
import type { Caller, RefusedCall } from '#jsonrpc/dispatcher.ts'
import { RecentMap } from '#jsonrpc/limits/recent-map.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { Secret } from '#platform/secret.ts'
import type { HttpAnswer } from '#serve/http-answer.ts'
import { createCredentialsFile } from './credentials.ts'
import { createAnonymousCaller, createGrantedCaller, UNRESTRICTED_CALLER } from './grants.ts'
import { createLogin, LOGIN_NOT_ENABLED, type Login, type PasswordVerifier } from './login.ts'
import type { AdmitLogin } from './login-limit.ts'
import { createPublicKeyFile, type TokenAlgorithm } from './public-key.ts'
import { type AuthMetrics, Refusals, type TokenProblem } from './refusals.ts'
import { createSecretVerifier } from './shared-secret.ts'
import {
  createTokenIssuer,
  createTokenVerifier,
  problemAt,
  type TokenClaims,
  type TokenVerifier,
} from './tokens.ts'

const BEARER = 'Bearer '
/** Verifying a signature takes about 50 microseconds, finding a known token less than one. */
const KNOWN_TOKENS_MAX = 2_048
/** Limits the known tokens to 16 MB. A longer token is verified every time. */
const KNOWN_TOKEN_MAX_CHARS = 8_192
/** Known tokens are found by the end of their signature, since hashing the complete text would cost more. */
const TOKEN_TAIL_CHARS = 32

/** How one transport authenticates: plain data, because it is cloned to the server threads. */
export type AuthenticationConfig =
  | { readonly mode: 'off' }
  | {
      readonly mode: 'credentials'
      readonly file: string
      /** This transport's private key as PKCS #8 PEM, from `generateTokenKey` on main. */
      readonly tokenKeyPem: string
      readonly noAuthMethods: readonly string[]
    }
  | {
      readonly mode: 'publicKey'
      readonly file: string
      readonly algorithm: TokenAlgorithm
      readonly noAuthMethods: readonly string[]
    }
  /** The secret of a consensus client, 64 hex digits; its tokens permit every method of the port. */
  | { readonly mode: 'sharedSecret'; readonly secretHex: string }

export interface AuthenticatorParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: AuthMetrics
  readonly admitLogin: AdmitLogin
  /** Null if no transport uses passwords. */
  readonly passwords: PasswordVerifier | null
}

/** Throws a Fault if the public key cannot be used. `checkCredentialsFile` checks the credentials file. */
export function createAuthenticator(config: AuthenticationConfig, parts: AuthenticatorParts): Authenticator {
  const { clock, log } = parts
  const noLogin = () => Promise.resolve(LOGIN_NOT_ENABLED)
  switch (config.mode) {
    case 'off':
      return { refusesUnread: () => false, identify: () => UNRESTRICTED_CALLER, login: noLogin }
    case 'credentials': {
      const issuer = createTokenIssuer(new Secret(config.tokenKeyPem))
      const login = createLogin({
        ...parts,
        passwords: parts.passwords!,
        credentials: createCredentialsFile(config.file),
        issueToken: (user) => issuer.issue(user, clock.wallMs()),
      })
      const { algorithm, publicKey } = issuer
      return createTokenAuthenticator(config.noAuthMethods, parts, algorithm, () => publicKey, login)
    }
    case 'publicKey': {
      const { algorithm, noAuthMethods } = config
      const file = createPublicKeyFile(config.file, algorithm, clock, log)
      return createTokenAuthenticator(noAuthMethods, parts, algorithm, (nowMs) => file.keyAt(nowMs), noLogin)
    }
    case 'sharedSecret':
      return createSecretAuthenticator(config.secretHex, parts, noLogin)
  }
}

interface KnownToken {
  readonly token: string
  readonly claims: TokenClaims
  readonly caller: Caller
}

function createTokenAuthenticator(
  freeMethods: readonly string[],
  { clock, log, metrics }: AuthenticatorParts,
  algorithm: TokenAlgorithm,
  keyAt: (nowMs: number) => KeyObject,
  login: Login,
): Authenticator {
  const noAuthMethods = new Set(freeMethods)
  const refusals = new Refusals(metrics, log, clock)
  const anonymous = (problem: TokenProblem): Caller =>
    createAnonymousCaller(noAuthMethods, (call) => refusals.note(problem, call))
  /** Only verified tokens, so that others cannot fill it. */
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

function createSecretAuthenticator(
  secretHex: string,
  { clock, log, metrics }: AuthenticatorParts,
  login: Login,
): Authenticator {
  const verify = createSecretVerifier(secretHex)
  const refusals = new Refusals(metrics, log, clock)
  const anonymous = (problem: TokenProblem): Caller =>
    createAnonymousCaller(new Set(), (call) => refusals.note(problem, call))
  return {
    refusesUnread: (authorization) => bearerToken(authorization) === null,
    identify(authorization) {
      const token = bearerToken(authorization)
      if (token === null) return anonymous('no token')
      const problem = verify(token, clock.wallMs())
      return problem === null ? UNRESTRICTED_CALLER : anonymous(problem)
    },
    login,
  }
}

/** As in Besu: the scheme is case-sensitive and followed by one space. */
function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length === BEARER.length) return null
  return authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : null
}

/** Identifies callers on one transport. HTTP and WebSocket have different keys. */
export interface Authenticator {
  /** True if a message can be refused unread: there is no bearer token, and every method needs one. */
  refusesUnread(authorization: string | undefined): boolean
  /** The caller of an Authorization header; without a valid token it may call only methods that need none. */
  identify(authorization: string | undefined): Caller
  login(body: Uint8Array, remoteAddress: string): Promise<HttpAnswer>
}
