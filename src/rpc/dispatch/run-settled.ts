import type { Method, RunContext } from '#rpc/define-method.ts'
import type { Ports } from '#rpc/ports.ts'
import { isStateUnavailable, READ_ATTEMPTS } from '#rpc/read-state.ts'

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
  let wasSettled = false
  for (let attempt = 1; ; attempt++) {
    const before = ports.chain.head()
    try {
      return await method.run(ports, values, context)
    } catch (error) {
      if (attempt === READ_ATTEMPTS || !isStateUnavailable(error)) throw error
      // The chain may have left the head and come back to it in between: once is no proof that the state is not kept.
      const isSettled = ports.chain.lookup.isCanonical(before.hash)
      if (isSettled && wasSettled) throw error
      wasSettled = isSettled
      ports.chain.catchUp()
    }
  }
}
