import type { CallRefusal, CallRefusalReason } from '#evm/simulate-transaction.ts'
import { type RpcErrorKind, rpcFault } from '#rpc/errors.ts'
import type { Fault } from '#types/fault.ts'

/** eth_simulateV1 has codes of its own; what they do not cover is refused as a whole. */
const REFUSALS: Readonly<Partial<Record<CallRefusalReason, RpcErrorKind>>> = {
  GAS_PRICE_BELOW_CURRENT_BASE_FEE: 'SIMULATION_BASE_FEE_TOO_LOW',
  INTRINSIC_GAS_EXCEEDS_GAS_LIMIT: 'SIMULATION_INTRINSIC_GAS',
  NONCE_TOO_HIGH: 'SIMULATION_NONCE_TOO_HIGH',
  NONCE_TOO_LOW: 'SIMULATION_NONCE_TOO_LOW',
  UPFRONT_COST_EXCEEDS_BALANCE: 'SIMULATION_INSUFFICIENT_FUNDS',
}

export function simulationFault({ reason, detail }: CallRefusal): Fault<RpcErrorKind> {
  return rpcFault(REFUSALS[reason] ?? 'SIMULATION_REFUSED', { message: detail })
}
