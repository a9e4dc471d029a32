import { array, looseObject, object, string } from 'zod'
import { simulateBlocks } from '#rpc/calls/simulate-blocks.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { presentSimulatedBlock } from '#rpc/present/simulated-block.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { BlockResult } from '#rpc/schema/block.ts'
import { Block } from '#rpc/schema/block-selector.ts'
import { DataText } from '#rpc/schema/data.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { Simulation } from '#rpc/schema/simulation.ts'

const CallResult = object({
  error: looseObject({}).optional(),
  gasUsed: QuantityText,
  logs: array(looseObject({})),
  maxUsedGas: QuantityText,
  returnData: DataText,
  status: string().regex(/^0x[01]$/),
})

export default defineMethod({
  name: 'eth_simulateV1',
  summary: 'Simulates calls in blocks on top of a block of the chain, with overrides of state and blocks.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { simulation: Simulation, block: Block.first() },
  result: array(BlockResult.extend({ calls: array(CallResult), trieLog: DataText.optional() })),
  run: async (resources, { simulation, block }, context) => {
    const base = resolveBlock(resources.chain, block)
    if (base === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    const simulated = await simulateBlocks(resources, base, simulation, context)
    return simulated.map((one) => presentSimulatedBlock(one, simulation.returnsFullTransactions))
  },
})
