import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { debugBlock } from '#rpc/present/debug-block.ts'
import { BlockHash } from '#rpc/schema/hash.ts'
import { TracedBlock } from '#rpc/schema/trace.ts'
import { TraceOptions } from '#rpc/schema/trace-options.ts'

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
