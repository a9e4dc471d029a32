import { defineMethod } from '#rpc/define-method.ts'
import { debugBlock } from '#rpc/present/debug-block.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { TracedBlock } from '#rpc/schema/trace.ts'
import { TraceOptions } from '#rpc/schema/trace-options.ts'

export default defineMethod({
  name: 'debug_traceBlockByNumber',
  summary: 'Executes the transactions of a block again and traces each.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS'), options: TraceOptions },
  result: TracedBlock.nullable(),
  async *run(resources, { block: selector, options }, { cancel }) {
    const known = blockOf(resources.chain, selector)
    if (known === undefined) yield 'null'
    else yield* debugBlock(resources, known, { options, cancel })
  },
})
