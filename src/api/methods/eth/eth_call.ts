import { briefKind } from '#api/calls/brief-kind.ts'
import type { CallLog } from '#api/calls/call-log.ts'
import {
  confirmed,
  explainFailure,
  overrideSite,
  type RanCall,
  refusalFault,
  runCall,
  siteOf,
} from '#api/calls/run-call.ts'
import { defineMethod } from '#api/define-method.ts'
import type { EngineResources } from '#api/resources.ts'
import { CallObject, StateOverride, type StateOverrides } from '#api/schema/call-object.ts'
import { Block, type BlockSelector, DataText } from '#api/schema/values.ts'
import type { CallSite } from '#chain/read/call-site.ts'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import type { RunContext } from '#jsonrpc/method.ts'
import { formatData } from '#types/hex.ts'
import { type MaybePromise, whenReady } from '#types/maybe-promise.ts'

export const CALL_PARAMS = { call: CallObject, block: Block.first(), stateOverrides: StateOverride }

export default defineMethod({
  name: 'eth_call',
  summary: 'Executes a call on the state after a block, without a transaction, and returns its output.',
  needs: ['chain', 'engine', 'limits'],
  params: CALL_PARAMS,
  briefKind,
  result: DataText.nullable(),
  run: (resources, params, context) => executeCall(resources, params, context),
})

interface CallParams {
  readonly call: CallRequest
  readonly block: BlockSelector
  readonly stateOverrides: StateOverrides | undefined
}

/** Nothing here waits for the native engine, and most calls take less time than their promises would. */
export function executeCall(
  resources: EngineResources,
  { call, block, stateOverrides }: CallParams,
  context: RunContext,
  callLog?: CallLog,
): MaybePromise<string | null> {
  const runIn = (found: CallSite): MaybePromise<string> => {
    const site = callLog?.watch(found) ?? found
    const policy = policyOf(call, site.hasBaseFee)
    const run = { site, policy, movedPrecompiles: stateOverrides?.movedPrecompiles }
    const answer = (ran: RanCall): MaybePromise<string> => {
      if (!ran.ok) throw refusalFault(ran.refusal)
      if (ran.outcome.isSuccess) return formatData(ran.outcome.output)
      return explainFailure(resources, run, call, ran.outcome, context).then((fault) => {
        throw fault
      })
    }
    return confirmed(site.pinned, () =>
      whenReady(runCall(resources, run, call, context), (ran) =>
        callLog?.hasLogged(site)
          ? callLog.relay('eth_call', resources, run, call, context).then(() => answer(ran))
          : answer(ran),
      ),
    )
  }
  return whenReady(siteOf(resources.chain, block), (found) =>
    found === undefined ? null : whenReady(overrideSite(found, stateOverrides), runIn),
  )
}

/** Without a price gas is free; `strict` says so explicitly. */
function policyOf(call: CallRequest, hasBaseFee: boolean): CallPolicy {
  const { freeCall, pricedCall } = CALL_POLICIES
  const { strict, gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = call
  if (strict !== undefined) return strict ? pricedCall : freeCall
  if (!hasBaseFee) return gasPrice === 0n ? freeCall : pricedCall
  if (call.blobVersionedHashes !== undefined && (call.maxFeePerBlobGas ?? 0n) === 0n) return freeCall
  return gasPrice === 0n && maxFeePerGas === 0n && maxPriorityFeePerGas === 0n ? freeCall : pricedCall
}
