import { defineMethod } from '#api/define-method.ts'
import { debugBlock } from '#api/present/debug-replay.ts'
import { blockOf } from '#api/resolve-block.ts'
import { TracedBlock } from '#api/schema/trace.ts'
import { TraceOptions } from '#api/schema/trace-options.ts'
import { BlockNumber } from '#api/schema/values.ts'

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
