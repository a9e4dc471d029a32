import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import eth_call, { CALL_PARAMS, executeCall } from '#api/methods/eth/eth_call.ts'
import { Block, DataText, LATEST } from '#api/schema/values.ts'

const { name, briefKind } = eth_call

export default defineDevMethod({
  name,
  summary: 'Executes a call on the state after a block, and logs the `console.log` of its contracts.',
  needs: ['chain', 'engine', 'limits', 'callLog'],
  // Besu requires the block; anvil and Hardhat do not.
  params: { ...CALL_PARAMS, block: Block.default(LATEST) },
  ...(briefKind && { briefKind }),
  result: DataText.nullable(),
  run: (resources, params, context) => executeCall(resources, params, context, resources.callLog),
})
