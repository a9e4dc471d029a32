import { array, literal, tuple, union } from 'zod'
import type { CallSite } from '#chain/read/call-site.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { siteOf } from '#rpc/calls/call-block.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { callResult, openCall, tracePolicy } from '#rpc/present/trace-call.ts'
import type { TraceResources } from '#rpc/present/trace-entries.ts'
import { inChunks } from '#rpc/present/traced-text.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import { Block } from '#rpc/schema/block-selector.ts'
import { CallObject } from '#rpc/schema/call-object.ts'
import { TraceResult, type TraceType, TraceTypesWire } from '#rpc/schema/trace.ts'

/** Calls per request. */
const MAX_CALLS = 10_000

export default defineMethod({
  name: 'trace_callMany',
  summary: 'Simulates calls one after another on the state after a block, each on what those before it did.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: {
    calls: new Param(
      array(tuple([CallObject.schema, TraceTypesWire])).max(MAX_CALLS),
      'INVALID_TRACE_CALL_MANY_PARAMS',
    ),
    block: Block,
  },
  count: 'exact',
  result: union([array(TraceResult), literal(null)]),
  async *run(resources, { calls, block }, { cancel }) {
    const site = await siteOf(resources.chain, block).catch(unlessUnavailable)
    if (site === null) {
      yield 'null'
      return
    }
    if (site === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    yield* inChunks(tell(resources, site, calls, cancel))
    site.pinned.confirm()
  },
})

async function* tell(
  resources: TraceResources,
  site: CallSite,
  calls: readonly (readonly [CallRequest, readonly TraceType[]])[],
  cancel: Int32Array | undefined,
): AsyncGenerator<string, void, undefined> {
  const { keccak } = await loadCrypto()
  const state = new OverlayState(site.state, keccak)
  yield '['
  for (const [index, [call, types]] of calls.entries()) {
    const opened = openCall(resources, { site: { ...site, state }, call, policy: tracePolicy(call), cancel })
    using session = opened.session
    if (index > 0) yield ','
    yield* callResult({ ...opened, types })
    state.apply(session.finish())
  }
  yield ']'
}

/** As Besu: a state that is not kept any more answers null. */
function unlessUnavailable(error: unknown): CallSite | null {
  if (isStateUnavailable(error)) return null
  throw error
}
