import { defineMethod } from '#api/define-method.ts'
import { debugBlock } from '#api/present/debug-replay.ts'
import { TracedBlock } from '#api/schema/trace.ts'
import { TraceOptions } from '#api/schema/trace-options.ts'
import { BlockHash } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'debug_traceBlockByHash',
  summary: 'Executes the transactions of a block again and traces each.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { block: BlockHash, options: TraceOptions },
  result: TracedBlock,
  async *run(resources, { block, options }, { cancel }) {
    const known = resources.chain.lookup.block(block)
    if (known === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    yield* debugBlock(resources, known, { options, cancel })
  },
})
