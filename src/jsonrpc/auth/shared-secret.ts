/** Tokens of a consensus client: HS256 with a secret that both sides read from a file, valid for a minute. */
import { createRequire } from 'node:module'
import type * as FastJwt from 'fast-jwt'
import type { TokenProblem } from './refusals.ts'

/** The specification's limit of the distance between `iat` and the clock. */
const MAX_DISTANCE_MS = 60_000

/** Returns null if the token is valid now. */
export type SecretVerifier = (token: string, nowMs: number) => TokenProblem | null

export function createSecretVerifier(secretHex: string): SecretVerifier {
  const fastJwt: typeof FastJwt = createRequire(import.meta.url)('fast-jwt')
  const verify = fastJwt.createVerifier({
    key: Buffer.from(secretHex, 'hex'),
    algorithms: ['HS256'],
    complete: true,
    cache: false,
    ignoreExpiration: true,
    ignoreNotBefore: true,
  })
  return (token, nowMs) => {
    try {
      const { header, payload } = verify(token)
      if (header.crit !== undefined) return 'invalid token'
      const { iat, exp = Number.POSITIVE_INFINITY } = payload
      if (!Number.isFinite(iat) || typeof exp !== 'number') return 'invalid token'
      const issuedMs = iat * 1_000
      if (issuedMs - nowMs > MAX_DISTANCE_MS) return 'not yet valid'
      return nowMs - issuedMs > MAX_DISTANCE_MS || nowMs >= exp * 1_000 ? 'expired' : null
    } catch {
      return 'invalid token'
    }
  }
}
