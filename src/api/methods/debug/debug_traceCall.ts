import { unknown } from 'zod'
import { overrideSite } from '#api/calls/run-call.ts'
import { defineMethod } from '#api/define-method.ts'
import { ofOneBlock } from '#api/one-chain.ts'
import { type DebuggedTransaction, debugTrace } from '#api/present/debug-trace.ts'
import { openCall } from '#api/present/trace-call.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { CallObject } from '#api/schema/call-object.ts'
import { TraceOptions } from '#api/schema/trace-options.ts'
import { Block, LATEST } from '#api/schema/values.ts'
import { openCallSite } from '#chain/read/call-site.ts'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from '#evm/simulate/call-request.ts'
import { assert } from '#types/assert.ts'

export default defineMethod({
  name: 'debug_traceCall',
  summary:
    'Simulates a call on the state after a block and returns its instructions, or the result of a named tracer.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { call: CallObject, block: Block.default(LATEST), options: TraceOptions },
  result: unknown().meta({ title: 'trace' }),
  run: (resources, { call, block, options }, { cancel }) =>
    ofOneBlock(resources.chain, block, async function* (chain, known) {
      const site = await overrideSite(await openCallSite(chain, known), options.stateOverrides)
      const movedPrecompiles = options.stateOverrides?.movedPrecompiles
      const opened = openCall(resources, { site, call, policy: policyOf(call), movedPrecompiles, cancel })
      using _session = opened.session
      yield* inChunks(tell({ ...opened, options, place: undefined, isListed: false }))
      site.pinned.confirm()
    }),
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
