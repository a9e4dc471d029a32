import { union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { ofOneBlock } from '#api/one-chain.ts'
import { callResult, openCall, tracePolicy } from '#api/present/trace-call.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { CallObject } from '#api/schema/call-object.ts'
import { TraceResult, type TraceType, TraceTypesWire } from '#api/schema/trace.ts'
import { type BlockSelector, LATEST, SelectorWire } from '#api/schema/values.ts'
import { openCallSite } from '#chain/read/call-site.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

const EitherWire = union([TraceTypesWire, SelectorWire])
type Either = readonly TraceType[] | BlockSelector

export default defineMethod({
  name: 'trace_call',
  summary: 'Simulates a call on the state after a block and returns its traces.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: {
    call: CallObject,
    /** The specification has the block second and the types third, Besu the reverse; both are accepted. */
    types: new Param<Either>(EitherWire, 'INVALID_TRACE_TYPE_PARAMS'),
    block: new Param<Either>(EitherWire, 'INVALID_BLOCK_PARAMS').default(LATEST),
  },
  result: TraceResult,
  run: (resources, { call, types: second, block: third }, { cancel }) => {
    const { types, block } = inOrder(second, third)
    return ofOneBlock(resources.chain, block, async function* (chain, known) {
      const site = await openCallSite(chain, known)
      const opened = openCall(resources, { site, call, policy: tracePolicy(call), cancel })
      using _session = opened.session
      yield* inChunks(callResult({ ...opened, types }))
      site.pinned.confirm()
    })
  },
})

function inOrder(
  second: Either,
  third: Either,
): { readonly types: readonly TraceType[]; readonly block: BlockSelector } {
  if (isTypes(second)) {
    if (isTypes(third)) throw rpcFault('INVALID_BLOCK_PARAMS')
    return { types: second, block: third }
  }
  if (!isTypes(third)) throw rpcFault('INVALID_TRACE_TYPE_PARAMS')
  return { types: third, block: second }
}

function isTypes(either: Either): either is readonly TraceType[] {
  return Array.isArray(either)
}
