import { serverFault } from './faults.ts'

/** Which browser pages may call. Requests without an Origin header never come here. */
export interface Cors {
  allows(origin: string): boolean
}

/**
 * As Besu: the origins are regular expressions, joined, that must match the whole Origin header.
 * `*` and `all` admit every origin, `none` or an empty list none.
 */
export function createCors(origins: readonly string[]): Cors {
  const patterns = origins.filter((origin) => origin !== '' && origin !== 'none')
  if (patterns.includes('*') || patterns.includes('all')) return { allows: () => true }
  if (patterns.length === 0) return { allows: () => false }
  for (const pattern of patterns) compile(pattern)
  const whole = compile(patterns.join('|'))
  return { allows: (origin) => whole.test(origin) }
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`)
  } catch (cause) {
    const sentence =
      `--rpc-http-cors-origins: "${pattern}" is no valid regular expression. ` +
      'Write an origin such as https://app.example, or * for every origin.'
    throw serverFault('CORS_ORIGIN_INVALID', { sentence, pattern }, { cause })
  }
}
