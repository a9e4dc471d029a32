import { unknown } from 'zod'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import { siteOf } from '#rpc/calls/call-block.ts'
import { overrideSite } from '#rpc/calls/run-call.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { type DebuggedTransaction, debugTrace } from '#rpc/present/debug-trace.ts'
import { openCall } from '#rpc/present/trace-call.ts'
import { inChunks } from '#rpc/present/traced-text.ts'
import { Block, LATEST } from '#rpc/schema/block-selector.ts'
import { CallObject } from '#rpc/schema/call-object.ts'
import { TraceOptions } from '#rpc/schema/trace-options.ts'
import { assert } from '#types/assert.ts'

export default defineMethod({
  name: 'debug_traceCall',
  summary:
    'Simulates a call on the state after a block and tells every instruction, or what a named tracer makes of it.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { call: CallObject, block: Block.default(LATEST), options: TraceOptions },
  result: unknown().meta({ title: 'trace' }),
  async *run(resources, { call, block, options }, { cancel }) {
    const found = await siteOf(resources.chain, block)
    if (found === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    const site = await overrideSite(found, options.stateOverrides)
    const movedPrecompiles = options.stateOverrides?.movedPrecompiles
    const opened = openCall(resources, { site, call, policy: policyOf(call), movedPrecompiles, cancel })
    using _session = opened.session
    yield* inChunks(tell({ ...opened, options, place: undefined, isListed: false }))
    site.pinned.confirm()
  },
})

async function* tell(debugged: DebuggedTransaction): AsyncGenerator<string, void, undefined> {
  const refusal = yield* debugTrace(debugged)
  assert(refusal === undefined, `A call that was let pass is executed: ${refusal?.sentence}`)
}

/** Without a price gas is free, as in eth_call. */
function policyOf({ gasPrice, maxFeePerGas, maxPriorityFeePerGas, strict }: CallRequest): CallPolicy {
  const { freeCall, pricedCall } = CALL_POLICIES
  if (strict !== undefined) return strict ? pricedCall : freeCall
  const hasPrice = [gasPrice, maxFeePerGas, maxPriorityFeePerGas].some(
    (price) => price !== undefined && price > 0n,
  )
  return hasPrice ? pricedCall : freeCall
}
