/** Completes a transaction with eth_fillTransaction, for a method that must then sign and submit it on this thread. */

import { runSettled } from '#api/engine/run-settled.ts'
import eth_fillTransaction from '#api/methods/eth/eth_fillTransaction.ts'
import { CallObject } from '#api/schema/call-object.ts'
import type { UpcomingBlock } from '#chain/read/call-site.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import type { BriefEngine, RemoteEngine } from '#jsonrpc/dispatch/remote-engine.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { HandedResources, RunContext } from '#jsonrpc/method.ts'
import { assert } from '#types/assert.ts'

export type FillTransaction = (
  wire: unknown,
  next: UpcomingBlock,
  context: RunContext,
) => Promise<CallRequest>

/** The engines of a server thread without its own. */
export interface FillingEngines {
  /** Asked first, because an engine thread costs more than most transactions. */
  readonly brief: BriefEngine | undefined
  readonly remote: RemoteEngine
}

/** `engines` is undefined if this thread has an engine. */
export function createFiller(
  resources: HandedResources,
  engines: FillingEngines | undefined,
): FillTransaction {
  const { name, decode, resolve } = eth_fillTransaction
  return async (wire, next, { signal, caller, remoteAddress }) => {
    const decoding = decode([wire])
    if (!decoding.ok) throw rpcFault(decoding.error)
    const resolved = { ...((await resolve!(resources, decoding.values)) as object), next }
    assert(caller !== undefined, 'Methods on servers know their caller.')
    const fill = async (): Promise<unknown> => {
      if (engines === undefined) {
        return await runSettled(eth_fillTransaction, resources, decoding.values, { signal, resolved })
      }
      const { brief, remote } = engines
      const done = await brief?.run(eth_fillTransaction, [wire], { signal }, resolved)
      if (done !== undefined) return done.result
      return JSON.parse(
        String(await remote.execute(name, [wire], { signal, caller, remoteAddress }, resolved)),
      )
    }
    const { tx } = (await fill()) as { readonly tx: unknown }
    return CallObject.quick?.(tx) ?? CallObject.schema.parse(tx)
  }
}
