import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as FastJwt from 'fast-jwt'
import { Secret } from '#platform/secret.ts'
import type { User } from './credentials.ts'
import type { TokenAlgorithm } from './public-key.ts'

/*
 * fast-jwt takes a token apart and verifies its signature for the one algorithm in use. The rest is ours:
 * its clock is fixed when a verifier is made, `exp` equal to now still passes, `iat` in the future is not
 * looked at, a `crit` of null or "" passes; and its signer puts `alg` before `typ`, Besu after.
 */

/** With the first verifier: most nodes know no tokens, and it brings along what reads keys of every kind. */
const fastJwt = (): typeof FastJwt => createRequire(import.meta.url)('fast-jwt')

const LIFETIME_SECONDS = 300
const ISSUED_ALGORITHM = 'RS256'
const KEY_BITS = 2048
const HEADER = toBase64Url({ typ: 'JWT', alg: ISSUED_ALGORITHM })

/** PKCS #8 PEM, so that it can be handed to other threads. One for each transport, made at start: takes 0.1 s. */
export function generateTokenKey(): Secret<string> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return new Secret(privateKey)
}

export interface TokenIssuer {
  readonly algorithm: TokenAlgorithm
  readonly publicKey: KeyObject
  issue(user: User, nowMs: number): string
}

export function createTokenIssuer(privateKeyPem: Secret<string>): TokenIssuer {
  const privateKey = createPrivateKey(privateKeyPem.reveal())
  return {
    algorithm: ISSUED_ALGORITHM,
    publicKey: createPublicKey(privateKey),
    issue({ name, grants, privacyPublicKey }, nowMs) {
      const iat = Math.floor(nowMs / 1_000)
      const claims = {
        permissions: grants,
        username: name,
        ...(privacyPublicKey !== null && { privacyPublicKey }),
        iat,
        exp: iat + LIFETIME_SECONDS,
      }
      const input = `${HEADER}.${toBase64Url(claims)}`
      return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`
    },
  }
}

export interface TokenClaims {
  readonly grants: readonly string[]
  /** Whom the issuer names, for log lines. */
  readonly user: string | undefined
  /** The same, whole: whose account what it uses is charged to. */
  readonly account: string | undefined
  /** Valid from here on, and before `expiresAtMs`; both may be fractions. */
  readonly validFromMs: number
  readonly expiresAtMs: number
}

/** What a token says, or why it says nothing. Whether it is valid now, `problemAt` says. */
export type TokenVerifier = (token: string) => TokenClaims | 'invalid token' | 'no exp claim'

export function createTokenVerifier(algorithm: TokenAlgorithm, publicKey: KeyObject): TokenVerifier {
  const verify = fastJwt().createVerifier({
    key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    algorithms: [algorithm],
    complete: true,
    cache: false,
    ignoreExpiration: true,
    ignoreNotBefore: true,
  })
  return (token) => {
    try {
      const { header, payload } = verify(token)
      // Critical extensions must be understood, and we understand none.
      return header.crit === undefined ? readClaims(payload) : 'invalid token'
    } catch {
      return 'invalid token'
    }
  }
}

/** Null: valid. */
export function problemAt(claims: TokenClaims, nowMs: number): 'expired' | 'not yet valid' | null {
  if (nowMs >= claims.expiresAtMs) return 'expired'
  return nowMs < claims.validFromMs ? 'not yet valid' : null
}

/** Names come from another issuer: enough of one to recognise it. */
const LOGGED_USER_CHARS = 64

function readClaims(payload: Record<string, unknown>): ReturnType<TokenVerifier> {
  const { permissions, username, sub, exp, iat = 0, nbf = 0 } = payload
  if (exp === undefined) return 'no exp claim'
  if (!Number.isFinite(exp) || !Number.isFinite(iat) || !Number.isFinite(nbf)) return 'invalid token'
  // Besu's own claim; other issuers name the subject where RFC 7519 has it.
  const account = [username, sub].find((name) => typeof name === 'string')
  return {
    user: account?.slice(0, LOGGED_USER_CHARS),
    account,
    grants: Array.isArray(permissions) ? permissions.filter((item) => typeof item === 'string') : [],
    validFromMs: Math.max(Number(iat), Number(nbf)) * 1_000,
    expiresAtMs: Number(exp) * 1_000,
  }
}

function toBase64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
