/** Completes a transaction with eth_fillTransaction, for a method that must then sign and submit it on this thread. */

import { runSettled } from '#api/engine/run-settled.ts'
import eth_fillTransaction from '#api/methods/eth/eth_fillTransaction.ts'
import { CallObject } from '#api/schema/call-object.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import type { RemoteEngine } from '#jsonrpc/dispatch/remote-engine.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { HandedResources, RunContext } from '#jsonrpc/method.ts'
import { assert } from '#types/assert.ts'

export type FillTransaction = (wire: unknown, context: RunContext) => Promise<CallRequest>

/** `remoteEngine` is undefined if this thread has an engine. */
export function createFiller(
  resources: HandedResources,
  remoteEngine: RemoteEngine | undefined,
): FillTransaction {
  const { name, decode, resolve } = eth_fillTransaction
  return async (wire, { signal, caller, remoteAddress }) => {
    const decoding = decode([wire])
    if (!decoding.ok) throw rpcFault(decoding.error)
    const resolved = await resolve!(resources, decoding.values)
    assert(caller !== undefined, 'Methods on servers know their caller.')
    const filled =
      remoteEngine === undefined
        ? await runSettled(eth_fillTransaction, resources, decoding.values, { signal, resolved })
        : JSON.parse(
            String(await remoteEngine.execute(name, [wire], { signal, caller, remoteAddress }, resolved)),
          )
    return CallObject.schema.parse((filled as { readonly tx: unknown }).tx)
  }
}
