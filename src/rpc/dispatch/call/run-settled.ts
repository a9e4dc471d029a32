import type { Method, RunContext } from '#rpc/define-method.ts'
import { isStateUnavailable, READ_ATTEMPTS } from '#rpc/read-state.ts'
import type { Resources } from '#rpc/resources.ts'

/**
 * Runs a method that needs 'engine': again from the start where the chain was reorganised under it, since it reads and
 * does nothing else.
 */
export async function runSettled(
  method: Method,
  resources: Resources,
  values: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<unknown> {
  const { chain } = resources
  /** Known where the head was in the chain when the attempt began: if there are no more at its end, it was all the time. */
  let unwinds: number | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return await method.run(resources, values, context)
    } catch (error) {
      const mayBeKept = unwinds === undefined || chain.unwinds() !== unwinds
      if (attempt === READ_ATTEMPTS || !isStateUnavailable(error) || !mayBeKept) throw error
      chain.catchUp()
      const now = chain.unwinds()
      unwinds = chain.lookup.isCanonical(chain.head().hash) ? now : undefined
    }
  }
}
