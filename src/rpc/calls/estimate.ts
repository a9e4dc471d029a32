/** What eth_estimateGas and eth_createAccessList share: the block, the policy, and between which limits gas lies. */
import type { CallSite } from '#chain/read/call-site.ts'
import { CALL_POLICIES, type CallRequest } from '#evm/simulate/call-request.ts'
import type { TraceRequest } from '#evm/trace/records.ts'
import type { RunContext } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { Resources } from '#rpc/resources.ts'
import type { PlaceSelector } from '#rpc/schema/block-selector.ts'
import type { StateOverrides } from '#rpc/schema/state-override.ts'
import { addressToBytes } from '#types/address.ts'
import { TRANSACTION_GAS } from '#types/transaction/intrinsic-gas.ts'
import { MAX_TRANSACTION_GAS } from '#types/transaction/transaction-validate.ts'
import { estimateSiteOf } from './call-block.ts'
import { type CallRun, overrideSite, type RanCall, runCall } from './run-call.ts'

/** What the cheapest transaction costs. */
export const MIN_GAS = BigInt(TRANSACTION_GAS)

export interface Estimate {
  readonly run: CallRun
  /** The most gas that the call can have. */
  readonly maxGas: bigint
  /** The call with this much gas. */
  simulate(gas: bigint, change?: Partial<CallRequest>, trace?: TraceRequest): Promise<RanCall>
}

export async function openEstimate(
  resources: Pick<Resources, 'chain' | 'engine' | 'limits'>,
  { call, block, stateOverrides }: EstimateParams,
  context: RunContext,
): Promise<Estimate> {
  const found = await estimateSiteOf(resources.chain, block)
  const site = await overrideSite(found, stateOverrides)
  const policy = (call.strict ?? true) ? CALL_POLICIES.estimate : CALL_POLICIES.freeCall
  const run: CallRun = { site, policy, movedPrecompiles: stateOverrides?.movedPrecompiles }
  // What the sender owns is asked of the chain and not of the overrides, as Besu does.
  const maxGas = maxGasOf(found, call)
  if (maxGas < MIN_GAS) {
    found.pinned.confirm()
    throw rpcFault('TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE')
  }
  return {
    run,
    maxGas,
    simulate: (gas, change, trace) =>
      runCall(resources, { ...run, trace }, { ...call, ...change, gas }, context),
  }
}

export interface EstimateParams {
  readonly call: CallRequest
  readonly block: PlaceSelector
  readonly stateOverrides: StateOverrides | undefined
}

/** A call without data is likely a plain transfer, which costs the least there is. */
export function isPlain({ data }: CallRequest): boolean {
  return data === undefined || data.length === 0
}

/** What the block allows, and what the sender can pay for at the price it offers. */
function maxGasOf({ rules, block, state }: CallSite, call: CallRequest): bigint {
  const isCapped = rules.has('osaka') && block.gasLimit > MAX_TRANSACTION_GAS
  const most = isCapped ? MAX_TRANSACTION_GAS : block.gasLimit
  const price = call.maxFeePerGas ?? call.gasPrice ?? 0n
  if (call.from === undefined || call.strict === false || price === 0n) return most
  const balance = state.account(addressToBytes(call.from))?.balance ?? 0n
  const value = call.value ?? 0n
  if (balance <= value) return 0n
  const affordable = (balance - value) / price
  if (affordable < most) return affordable
  return most
}
