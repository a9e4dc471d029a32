import { array, literal, tuple, union } from 'zod'
import { siteOf } from '#api/calls/run-call.ts'
import { defineMethod } from '#api/define-method.ts'
import { callResult, openCall, tracePolicy } from '#api/present/trace-call.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { isStateUnavailable } from '#api/read-state.ts'
import type { EngineResources } from '#api/resources.ts'
import { CallObject } from '#api/schema/call-object.ts'
import { TraceResult, type TraceType, TraceTypesWire } from '#api/schema/trace.ts'
import { Block } from '#api/schema/values.ts'
import type { CallSite } from '#chain/read/call-site.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { settle } from '#types/maybe-promise.ts'

const MAX_CALLS = 10_000

export default defineMethod({
  name: 'trace_callMany',
  summary: 'Simulates calls in sequence on the state after a block, each on the result of the previous one.',
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
    const site = await settle(
      () => siteOf(resources.chain, block),
      (found): CallSite | null | undefined => found,
      unlessUnavailable,
    )
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
  resources: EngineResources,
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

/** As in Besu, a pruned state answers null. */
function unlessUnavailable(error: unknown): CallSite | null {
  if (isStateUnavailable(error)) return null
  throw error
}
