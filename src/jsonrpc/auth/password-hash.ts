import { createRequire } from 'node:module'
import type * as Bcrypt from '@node-rs/bcrypt'
import { usageFault } from '#config/faults.ts'

/** Loaded with the first password, because most nodes use none. */
const bcrypt = (): typeof Bcrypt => createRequire(import.meta.url)('@node-rs/bcrypt')

const HASH_COST = 10
/** bcrypt ignores further bytes, which would make different passwords equal. */
const PASSWORD_MAX_BYTES = 72
/** About 5 seconds of one core; each step doubles it, and the work cannot be interrupted. */
export const HASH_COST_MAX = 16
/** `$2x$` marks hashes of a broken implementation, which Besu does not accept either. */
const KNOWN_PREFIX = /^\$2[aby]\$/

/** A hash for the credentials file in Besu's format, `$2a$10$…`. Takes about 70 ms. */
export function hashPassword(password: string): string {
  const bytes = Buffer.byteLength(password)
  if (bytes > PASSWORD_MAX_BYTES) {
    throw usageFault(
      `The password has ${bytes} bytes, and bcrypt ignores all after the first ${PASSWORD_MAX_BYTES}. Choose a shorter one.`,
    )
  }
  return bcrypt().hashSync(password, { cost: HASH_COST, version: '2a' })
}

/** Blocks its thread: only for commands and the bcrypt thread. Returns false for an unusable hash. */
export function verifyPassword(password: string, hash: string): boolean {
  return passwordHashCost(hash) !== null && bcrypt().verifySync(password, hash)
}

/** The cost of a usable hash; null for any other text. */
export function passwordHashCost(hash: string): number | null {
  if (!KNOWN_PREFIX.test(hash)) return null
  try {
    const { cost } = bcrypt().parseOptions(hash)
    return cost <= HASH_COST_MAX ? cost : null
  } catch {
    return null
  }
}

/** A hash that matches no password; verifying against it takes as long as against a real one. */
export function decoyHash(cost: number = HASH_COST): string {
  return `$2a$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
}
