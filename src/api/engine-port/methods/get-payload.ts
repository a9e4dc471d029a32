/** The versions of engine_getPayload differ in the parts next to the block. */
import { array, boolean, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { type ForkSpan, requireFork } from '#api/engine-port/require-fork.ts'
import { presentBlobsBundle, presentPayload } from '#api/present/payload.ts'
import type { Resources } from '#api/resources.ts'
import { BlobsBundleResult, PayloadResult } from '#api/schema/payload.ts'
import { DataText, QuantityText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { decodeBlock } from '#types/block/block.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

const payloadId = new Param(
  DataText.regex(/^0x[0-9a-f]{16}$/).meta({ title: 'payload id', description: '0x and 16 hex digits' }),
  'INVALID_PAYLOAD_ID_PARAMS',
)

const Valued = object({ executionPayload: PayloadResult, blockValue: QuantityText })
const WithBlobs = Valued.extend({ blobsBundle: BlobsBundleResult, shouldOverrideBuilder: boolean() })
const WithRequests = WithBlobs.extend({ executionRequests: array(DataText) })

type Needed = Pick<Resources, 'chain' | 'forkchoice'>

export const engine_getPayloadV1 = defineMethod({
  name: 'engine_getPayloadV1',
  summary: 'Returns a block of Paris that was built since engine_forkchoiceUpdated.',
  needs: ['chain', 'forkchoice'],
  params: { payloadId },
  result: PayloadResult,
  run: async (resources, params) =>
    (await take(resources, params.payloadId, { from: undefined, before: 'shanghai' })).executionPayload,
})

export const engine_getPayloadV2 = defineMethod({
  name: 'engine_getPayloadV2',
  summary: 'Returns a built block of Paris or Shanghai, and its value.',
  needs: ['chain', 'forkchoice'],
  params: { payloadId },
  result: Valued,
  run: async (resources, params) => {
    const span: ForkSpan = { from: undefined, before: 'cancun' }
    const { executionPayload, blockValue } = await take(resources, params.payloadId, span)
    return { executionPayload, blockValue }
  },
})

export const engine_getPayloadV3 = defineMethod({
  name: 'engine_getPayloadV3',
  summary: 'Returns a built block of Cancun, its value and blobs.',
  needs: ['chain', 'forkchoice'],
  params: { payloadId },
  result: WithBlobs,
  run: async (resources, params) => {
    const span: ForkSpan = { from: 'cancun', before: 'prague' }
    const { executionRequests: _, ...rest } = await take(resources, params.payloadId, span)
    return rest
  },
})

export const engine_getPayloadV4 = defineMethod({
  name: 'engine_getPayloadV4',
  summary: 'Returns a built block of Prague, its value, blobs and requests.',
  needs: ['chain', 'forkchoice'],
  params: { payloadId },
  result: WithRequests,
  run: (resources, params) => take(resources, params.payloadId, { from: 'prague', before: 'osaka' }),
})

export const engine_getPayloadV5 = defineMethod({
  name: 'engine_getPayloadV5',
  summary: 'Returns a built block of Osaka, its value, blobs with cell proofs, and requests.',
  needs: ['chain', 'forkchoice'],
  params: { payloadId },
  result: WithRequests,
  run: (resources, params) => take(resources, params.payloadId, { from: 'osaka', before: 'amsterdam' }),
})

async function take(resources: Needed, id: string, span: ForkSpan) {
  const built = await resources.forkchoice.payload(id)
  if (built === null) throw rpcFault('UNKNOWN_PAYLOAD')
  const block = decodeBlock(built.block, resources.chain.keccak)
  requireFork(resources, block.header.timestamp, span)
  return {
    executionPayload: presentPayload(block, built.hash),
    blockValue: formatQuantity(built.tipsWei),
    blobsBundle: presentBlobsBundle(built.withBlobs, resources.chain.keccak),
    shouldOverrideBuilder: false,
    executionRequests: built.requests.map(formatData),
  }
}
