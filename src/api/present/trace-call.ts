/** Unsigned calls, simulated on a block and reported with any of trace, vmTrace and stateDiff. */

import { cappedGas, refusalFault } from '#api/calls/run-call.ts'
import type { EngineResources } from '#api/resources.ts'
import type { TraceType } from '#api/schema/trace.ts'
import type { CallSite } from '#chain/read/call-site.ts'
import type { Rules } from '#evm/rules.ts'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import { callEnvironment, prepareCall, waiversOf } from '#evm/simulate/simulate-transaction.ts'
import { createStateLookup } from '#evm/state-lookup.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { traceResult } from './trace-result.ts'
import type { TracedRun } from './traced-text.ts'

export interface CallToTrace {
  readonly site: CallSite
  readonly call: CallRequest
  readonly policy: CallPolicy
  readonly movedPrecompiles?: ReadonlyMap<Address, Address> | undefined
  readonly cancel: Int32Array | undefined
}

export interface OpenedCall extends TracedRun {
  readonly rules: Rules
}

/** Throws the client's error if the call breaks the rules of its policy. */
export function openCall(
  { engine, limits }: Pick<EngineResources, 'engine' | 'limits'>,
  { site, call, policy, movedPrecompiles, cancel }: CallToTrace,
): OpenedCall {
  const { rules, hasBaseFee, state } = site
  const block = callEnvironment(site.block, policy)
  const gasLimit = cappedGas(limits.gasCap, call.gas ?? block.gasLimit)
  const prepared = prepareCall(call, { rules, block, hasBaseFee, state, policy, gasLimit })
  if (!prepared.ok) throw refusalFault(prepared.refusal)
  const session = engine.open(block, rules, createStateLookup(state), {
    callTree: true,
    callTreeMaxBytes: limits.maxRequestBytes,
    waivers: waiversOf(policy),
    movedPrecompiles,
    cancel,
  })
  const authorities = call.authorizations?.map(({ authority }) => authority)
  const { transaction, sender } = prepared
  return {
    session,
    rules,
    transaction: { transaction, sender, authorities },
    maxBytes: limits.maxRequestBytes,
    cancel,
  }
}

/** The call was opened, so it is not refused any more. */
export async function* callResult(
  traced: OpenedCall & { readonly types: readonly TraceType[] },
): AsyncGenerator<string, void, undefined> {
  const refusal = yield* traceResult(traced, {})
  assert(refusal === undefined, `A call that was let pass is executed: ${refusal?.sentence}`)
}

/** A call follows the rules of a transaction, but need not afford its gas if it names no price or is not `strict`. */
export function tracePolicy(call: CallRequest): CallPolicy {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  const hasPrice = (gasPrice ?? maxFeePerGas ?? maxPriorityFeePerGas) !== undefined
  return { ...CALL_POLICIES.strict, mayLackFunds: call.strict === false || !hasPrice }
}
