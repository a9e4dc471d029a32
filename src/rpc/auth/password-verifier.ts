import type { Secret } from '#platform/secret.ts'

/** `busy`: too many passwords wait already; nothing was verified. */
export type PasswordVerdict = 'match' | 'mismatch' | 'busy'

/** Verifies a password somewhere else than on the calling thread, which bcrypt would stop for 0.1 s. */
export interface PasswordVerifier {
  verify(password: Secret<string>, hash: Secret<string>): Promise<PasswordVerdict>
}
