import { createHash } from 'node:crypto'

const LONG_BYTES = 4_000

/**
 * Replaces long code and instruction traces by a hash of their JSON text, so a change there must be reviewed. Shorter
 * ones stay.
 */
export function withDigests(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDigests)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'vmTrace' || name === 'code' ? digested(inner) : withDigests(inner),
    ]),
  )
}

function digested(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length < LONG_BYTES) return value
  return `sha256 ${createHash('sha256').update(text).digest('hex')} of ${text.length} bytes`
}
