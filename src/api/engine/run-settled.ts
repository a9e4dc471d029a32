import { isStateUnavailable, READ_ATTEMPTS } from '#api/read-state.ts'
import type { Resources } from '#api/resources.ts'
import type { HandedResources, Method, RunContext } from '#jsonrpc/method.ts'
import { type MaybePromise, settle } from '#types/maybe-promise.ts'

/** Runs a method that needs 'engine', and starts it again if the chain was reorganised, since it only reads. */
export function runSettled(
  method: Method,
  resources: HandedResources,
  values: Readonly<Record<string, unknown>>,
  context: RunContext,
): MaybePromise<unknown> {
  const { chain } = resources as Pick<Resources, 'chain'>
  return attempt(1, undefined)

  /** `unwinds` is set if the head was canonical when the attempt began; if it is unchanged at the end, the head still is. */
  function attempt(count: number, unwinds: number | undefined): MaybePromise<unknown> {
    return settle(
      () => method.run(resources, values, context),
      (result) => result,
      (error) => {
        const mayBeKept = unwinds === undefined || chain.unwinds() !== unwinds
        if (count === READ_ATTEMPTS || !isStateUnavailable(error) || !mayBeKept) throw error
        chain.catchUp()
        const now = chain.unwinds()
        return attempt(count + 1, chain.lookup.isCanonical(chain.head().hash) ? now : undefined)
      },
    )
  }
}
