import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createRequire } from 'node:module'
import type * as FastJwt from 'fast-jwt'
import { Secret } from '#platform/secret.ts'
import type { User } from './credentials.ts'
import type { TokenAlgorithm } from './public-key.ts'

/*
 * fast-jwt parses a token and verifies its signature for the one algorithm in use. The rest is here: its clock is
 * fixed when a verifier is made, `exp` equal to now still passes, `iat` in the future is ignored, and a `crit` of null
 * or "" passes. Its signer puts `alg` before `typ`, Besu after.
 */

/** Loaded with the first verifier, because most nodes use no tokens. */
const fastJwt = (): typeof FastJwt => createRequire(import.meta.url)('fast-jwt')

const LIFETIME_SECONDS = 300
const ISSUED_ALGORITHM: TokenAlgorithm = 'RS256'
const KEY_BITS = 2048
const HEADER = toBase64Url({ typ: 'JWT', alg: ISSUED_ALGORITHM })

/** As PKCS #8 PEM, so it can be sent to threads. One per transport, made at start; takes 0.1 s. */
export function generateTokenKey(): Secret<string> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return new Secret(privateKey)
}

export function createTokenIssuer(privateKeyPem: Secret<string>) {
  const privateKey = createPrivateKey(privateKeyPem.reveal())
  return {
    algorithm: ISSUED_ALGORITHM,
    publicKey: createPublicKey(privateKey),
    issue({ name, grants, privacyPublicKey }: User, nowMs: number): string {
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
  /** The user name, shortened for log lines. */
  readonly user: string | undefined
  /** The complete user name, whose account is charged. */
  readonly account: string | undefined
  /** Inclusive; `expiresAtMs` is exclusive. Both may be fractions. */
  readonly validFromMs: number
  readonly expiresAtMs: number
}

/** Returns the claims or what is wrong with the token; `problemAt` checks the time. */
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
      // Critical extensions must be understood, and this verifier understands none.
      return header.crit === undefined ? readClaims(payload) : 'invalid token'
    } catch {
      return 'invalid token'
    }
  }
}

/** Returns null if the token is valid. */
export function problemAt(claims: TokenClaims, nowMs: number): 'expired' | 'not yet valid' | null {
  if (nowMs >= claims.expiresAtMs) return 'expired'
  return nowMs < claims.validFromMs ? 'not yet valid' : null
}

/** Other issuers choose names of any length. */
const LOGGED_USER_CHARS = 64

function readClaims(payload: Record<string, unknown>): ReturnType<TokenVerifier> {
  const { permissions, username, sub, exp, iat = 0, nbf = 0 } = payload
  if (exp === undefined) return 'no exp claim'
  if (!Number.isFinite(exp) || !Number.isFinite(iat) || !Number.isFinite(nbf)) return 'invalid token'
  // `username` is Besu's claim, `sub` that of RFC 7519.
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
