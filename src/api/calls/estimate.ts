/** What eth_estimateGas and eth_createAccessList share: block, policy and gas limits. */

import { atMost } from '#api/fee-bounds.ts'
import type { EngineResources } from '#api/resources.ts'
import { CallObject, StateOverride, type StateOverrides } from '#api/schema/call-object.ts'
import { BlockNumber, PENDING, type PlaceSelector } from '#api/schema/values.ts'
import { type CallSite, openNextCallSite, type UpcomingBlock } from '#chain/read/call-site.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { evmFault } from '#evm/faults.ts'
import type { Outcome } from '#evm/outcome.ts'
import { CALL_STIPEND } from '#evm/rules.ts'
import { CALL_POLICIES, type CallRequest } from '#evm/simulate/call-request.ts'
import type { TraceRequest } from '#evm/trace/events.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { RunContext } from '#jsonrpc/method.ts'
import { addressToBytes } from '#types/address.ts'
import type { MaybePromise } from '#types/maybe-promise.ts'
import { TRANSACTION_GAS } from '#types/transaction/intrinsic-gas.ts'
import { MAX_TRANSACTION_GAS } from '#types/transaction/transaction-validate.ts'
import type { CallLog } from './call-log.ts'
import {
  type CallRun,
  confirmed,
  explainFailure,
  overrideSite,
  type RanCall,
  refusalFault,
  runCall,
  siteOf,
} from './run-call.ts'

/** The gas of the cheapest transaction. */
export const MIN_GAS = BigInt(TRANSACTION_GAS)

/** Simulations of one request on a server, each of which is brief; most estimates need four. */
const BRIEF_SIMULATIONS_MAX = 8

function tooLong() {
  return evmFault('ENGINE_EXHAUSTED', { sentence: 'The estimate is more work than its session allows.' })
}

interface Estimate {
  readonly run: CallRun
  readonly maxGas: bigint
  simulate(gas: bigint, change?: Partial<CallRequest>, trace?: TraceRequest): MaybePromise<RanCall>
}

export async function openEstimate(
  resources: EngineResources,
  { call, block, stateOverrides, next, callLog }: EstimateParams,
  context: RunContext,
): Promise<Estimate> {
  const found = await estimateSiteOf(resources.chain, block, next)
  const overridden = await overrideSite(found, stateOverrides)
  const site = callLog?.watch(overridden) ?? overridden
  const policy = (call.strict ?? true) ? CALL_POLICIES.estimate : CALL_POLICIES.freeCall
  const run: CallRun = { site, policy, movedPrecompiles: stateOverrides?.movedPrecompiles }
  // As in Besu, the sender's balance comes from the chain, not from the overrides.
  const maxGas = maxGasOf(found, call)
  if (maxGas < MIN_GAS) {
    found.pinned.confirm()
    throw rpcFault('TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE')
  }
  let simulations = 0
  return {
    run,
    maxGas,
    simulate: (gas, change, trace) => {
      simulations += 1
      if (resources.engine.isBrief && simulations > BRIEF_SIMULATIONS_MAX) throw tooLong()
      return runCall(resources, { ...run, trace }, { ...call, ...change, gas }, context)
    },
  }
}

export const ESTIMATE_PARAMS = {
  call: CallObject,
  block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS').default(PENDING),
  stateOverrides: StateOverride,
}

interface EstimateParams {
  readonly call: CallRequest
  readonly block: PlaceSelector
  readonly stateOverrides: StateOverrides | undefined
  /** Known on the development network. */
  readonly next?: UpcomingBlock | undefined
  /** Given on the development network. Only estimates that fail are logged: a transaction follows the others. */
  readonly callLog?: CallLog | undefined
}

/** A call without data is probably a plain transfer, which costs the minimum. */
export function isPlain({ data }: CallRequest): boolean {
  return data === undefined || data.length === 0
}

/** The block's gas limit, and what the sender can afford at its price. */
function maxGasOf({ rules, block, state }: CallSite, call: CallRequest): bigint {
  const most = rules.has('osaka') ? atMost(block.gasLimit, MAX_TRANSACTION_GAS) : block.gasLimit
  const price = call.maxFeePerGas ?? call.gasPrice ?? 0n
  if (call.from === undefined || call.strict === false || price === 0n) return most
  const balance = state.account(addressToBytes(call.from))?.balance ?? 0n
  const value = call.value ?? 0n
  if (balance <= value) return 0n
  return atMost((balance - value) / price, most)
}

/** EIP-150: a call forwards at most 63/64 of the remaining gas. */
const SUB_CALL_RATIO = 64 / 63

/** The gas with which a call succeeds, within the tolerance. Throws the reason if it never does. */
export async function estimateGas(
  resources: EngineResources,
  params: EstimateParams,
  context: RunContext,
): Promise<bigint> {
  const estimate = await openEstimate(resources, params, context)
  const { simulate, maxGas, run } = estimate
  return confirmed(run.site.pinned, async () => {
    if (isPlain(params.call) && isSuccess(await simulate(MIN_GAS))) return MIN_GAS
    const ran = await simulate(maxGas)
    if (!ran.ok) throw refusalFault(ran.refusal)
    // A call that fails with the maximum fails with less.
    if (!ran.outcome.isSuccess) {
      const { call, callLog } = params
      if (callLog?.hasLogged(run.site))
        await callLog.relay('eth_estimateGas', resources, run, { ...call, gas: maxGas }, context)
      throw await explainFailure(resources, run, call, ran.outcome, context)
    }
    return search(estimate, ran.outcome, resources.limits.estimateGasTolerance)
  })
}

/** Besu's search, so that it finds the same number. */
async function search({ simulate, maxGas }: Estimate, most: Outcome, tolerance: number): Promise<bigint> {
  const used = most.gasUsed + most.gasRefunded
  let low = used - 1n
  let high = maxGas
  const guess = BigInt(Math.trunc(Number(used + CALL_STIPEND) * SUB_CALL_RATIO))
  if (isSuccess(await simulate(guess))) high = guess
  else low = guess
  while (low + 1n < high) {
    if (tolerance > 0 && Number(high - low) / Number(high) < tolerance) break
    const middle = (low + high) / 2n
    if (isSuccess(await simulate(middle))) high = middle
    else low = middle
  }
  return high
}

function isSuccess(ran: RanCall): boolean {
  return ran.ok && ran.outcome.isSuccess
}

/** For estimates, `pending` is the block after the head. */
async function estimateSiteOf(
  chain: ChainView,
  selector: PlaceSelector,
  next: UpcomingBlock | undefined,
): Promise<CallSite> {
  if (selector.kind === 'tag' && selector.tag === 'pending')
    return openNextCallSite(chain, chain.head(), next)
  const site = await siteOf(chain, selector)
  if (site === undefined) throw rpcFault('BLOCK_NOT_FOUND')
  return site
}
