/** Prepares one call of a request, with Besu's defaults and refusals, and runs it in the engine. */
import type { CallSite } from '#chain/read/call-site.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Outcome } from '#evm/outcome.ts'
import type { CallPolicy, CallRequest } from '#evm/simulate/call-request.ts'
import type { Simulation } from '#evm/simulate/call-sessions.ts'
import { simulateCall } from '#evm/simulate/call-sessions.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { type CallRefusal, callEnvironment, prepareCall } from '#evm/simulate/simulate-transaction.ts'
import type { RunContext } from '#rpc/define-method.ts'
import type { Resources } from '#rpc/resources.ts'
import type { StateOverrides } from '#rpc/schema/state-override.ts'
import type { Address } from '#types/address.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'

export interface CallRun extends Pick<Simulation, 'options' | 'trace'> {
  readonly site: CallSite
  readonly policy: CallPolicy
  /** From where to where. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address> | undefined
}

export type RanCall =
  | {
      readonly ok: true
      readonly transaction: UnsignedTransaction
      readonly sender: Address
      readonly outcome: Outcome
    }
  | { readonly ok: false; readonly refusal: CallRefusal }

export async function runCall(
  { engine, limits }: Pick<Resources, 'engine' | 'limits'>,
  { site, policy, movedPrecompiles, options, trace }: CallRun,
  call: CallRequest,
  { cancel }: Pick<RunContext, 'cancel'>,
): Promise<RanCall> {
  const { rules, hasBaseFee, state } = site
  const block = callEnvironment(site.block, policy)
  const gasLimit = cappedGas(limits.gasCap, call.gas ?? block.gasLimit)
  const prepared = prepareCall(call, { rules, block, hasBaseFee, state, policy, gasLimit })
  if (!prepared.ok) return prepared
  const { transaction, sender } = prepared
  const outcome = await simulateCall(
    { engine, rules, block, state, policy, options: { ...options, cancel, movedPrecompiles }, trace },
    { transaction, sender, authorities: call.authorizations?.map(({ authority }) => authority) },
  )
  return { ok: true, transaction, sender, outcome }
}

/** The site with what a request wants changed. */
export async function overrideSite(site: CallSite, overrides: StateOverrides | undefined): Promise<CallSite> {
  if (overrides === undefined) return site
  const { keccak } = await loadCrypto()
  const state = new OverlayState(site.state, keccak)
  for (const [address, override] of overrides.accounts) state.override(address, override)
  return { ...site, state }
}

export function cappedGas(cap: bigint, gas: bigint): bigint {
  return cap > 0n && gas > cap ? cap : gas
}
