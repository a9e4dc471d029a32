import { isStateUnavailable, READ_ATTEMPTS } from '#api/read-state.ts'
import type { Resources } from '#api/resources.ts'
import type { HandedResources, Method, RunContext } from '#jsonrpc/method.ts'

/** Runs a method that needs 'engine', and starts it again if the chain was reorganised, since it only reads. */
export async function runSettled(
  method: Method,
  resources: HandedResources,
  values: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<unknown> {
  const { chain } = resources as Pick<Resources, 'chain'>
  /** Set if the head was canonical when the attempt began; if it is unchanged at the end, the head still is. */
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
