import { serverFault } from './faults.ts'

/** Decides which browser pages may call. Requests without an Origin header are not checked. */
export interface Cors {
  allows(origin: string): boolean
}

/**
 * Like Besu: the origins are regular expressions, and one of them must match the complete Origin header. `*` and `all`
 * allow every origin, `none` or an empty list allows none.
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
      `--rpc-http-cors-origins: "${pattern}" is not a valid regular expression. ` +
      'Write an origin such as https://app.example, or * for every origin.'
    throw serverFault('CORS_ORIGIN_INVALID', { sentence, pattern }, { cause })
  }
}
