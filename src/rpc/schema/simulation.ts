/** What eth_simulateV1 is asked for. Members that are not known are ignored. */
import { array, boolean, object, type ZodType } from 'zod'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { Param } from '#rpc/param.ts'
import { type BlockOverrides, BlockOverridesWire } from './block-override.ts'
import { SimulatedCallWire } from './call-object.ts'
import { type StateOverrides, StateOverridesWire } from './state-override.ts'

export interface BlockStateCall {
  readonly block: BlockOverrides
  readonly state: StateOverrides | undefined
  readonly calls: readonly CallRequest[]
}

export interface SimulationRequest {
  readonly blocks: readonly BlockStateCall[]
  readonly isValidated: boolean
  readonly tracesTransfers: boolean
  readonly returnsFullTransactions: boolean
  readonly returnsTrieLog: boolean
}

const BlockWire = object({
  blockOverrides: BlockOverridesWire.nullish(),
  stateOverrides: StateOverridesWire.nullish(),
  calls: array(SimulatedCallWire).nullish(),
}).transform(
  ({ blockOverrides, stateOverrides, calls }): BlockStateCall => ({
    block: blockOverrides ?? {},
    state: stateOverrides ?? undefined,
    calls: calls ?? [],
  }),
)

const SimulationWire: ZodType<SimulationRequest> = object({
  blockStateCalls: array(BlockWire),
  validation: boolean().nullish(),
  traceTransfers: boolean().nullish(),
  returnFullTransactions: boolean().nullish(),
  returnTrieLog: boolean().nullish(),
})
  .transform(
    (members): SimulationRequest => ({
      blocks: members.blockStateCalls,
      isValidated: members.validation ?? false,
      tracesTransfers: members.traceTransfers ?? false,
      returnsFullTransactions: members.returnFullTransactions ?? false,
      returnsTrieLog: members.returnTrieLog ?? false,
    }),
  )
  .meta({ title: 'simulation' })

export const Simulation = new Param(SimulationWire, 'INVALID_PARAMS')
