import { createRequire } from 'node:module'
import type * as Bcrypt from '@node-rs/bcrypt'
import { usageFault } from '#config/faults.ts'

/** With the first password: most nodes know none, and it is a library to open. */
const bcrypt = (): typeof Bcrypt => createRequire(import.meta.url)('@node-rs/bcrypt')

const HASH_COST = 10
/** bcrypt looks at no more, and by silently ignoring the rest makes two passwords equal. */
const PASSWORD_MAX_BYTES = 72
/** About 5 seconds of one core; each step more doubles it, and the work cannot be interrupted. */
export const HASH_COST_MAX = 16
/** `$2x$` marks hashes of a broken implementation; Besu knows it as little as we do. */
const KNOWN_PREFIX = /^\$2[aby]\$/

/** One line for the credentials file, in the spelling of Besu: `$2a$10$…`. Takes about 70 ms. */
export function hashPassword(password: string): string {
  const bytes = Buffer.byteLength(password)
  if (bytes > PASSWORD_MAX_BYTES) {
    throw usageFault(
      `The password has ${bytes} bytes, and bcrypt ignores all after the first ${PASSWORD_MAX_BYTES}. Choose a shorter one.`,
    )
  }
  return bcrypt().hashSync(password, { cost: HASH_COST, version: '2a' })
}

/**
 * Blocks its thread for as long as the cost of the hash demands: only for commands and the bcrypt thread.
 * False for a hash that cannot be used.
 */
export function verifyPassword(password: string, hash: string): boolean {
  return passwordHashCost(hash) !== null && bcrypt().verifySync(password, hash)
}

/** The cost of a hash against which a password can be verified at all; null for any other text. */
export function passwordHashCost(hash: string): number | null {
  if (!KNOWN_PREFIX.test(hash)) return null
  try {
    const { cost } = bcrypt().parseOptions(hash)
    return cost <= HASH_COST_MAX ? cost : null
  } catch {
    // The parser that verification uses cannot read it.
    return null
  }
}

/** A hash of no password: verifying against it takes as long as against a real one of that cost. */
export function decoyHash(cost: number = HASH_COST): string {
  return `$2a$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
}
