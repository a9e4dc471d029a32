import type { Method, RunContext } from './define-method.ts'
import type { Ports } from './ports.ts'
import { isStateUnavailable } from './read-state.ts'

/** A chain that is reorganised faster than this answers that there is no such state. */
const ATTEMPTS = 5

/**
 * Runs a method that needs 'engine': again from the start where the chain was reorganised under it, since it reads and
 * does nothing else.
 */
export async function runSettled(
  method: Method,
  ports: Ports,
  values: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const before = ports.chain.head()
    try {
      return await method.run(ports, values, context)
    } catch (error) {
      const isSettled = ports.chain.lookup.isCanonical(before.hash)
      if (attempt === ATTEMPTS || isSettled || !isStateUnavailable(error)) throw error
      ports.chain.catchUp()
    }
  }
}
