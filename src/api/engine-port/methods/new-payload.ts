/** The versions of engine_newPayload differ in their parameters and in the forks of the blocks. */
import { array, object, enum as oneOf, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { blockOf, type PayloadSides } from '#api/engine-port/payload-block.ts'
import { type ForkSpan, hasFork, requireFork } from '#api/engine-port/require-fork.ts'
import type { Resources } from '#api/resources.ts'
import { type Payload, PayloadWire } from '#api/schema/payload.ts'
import { HashText, HashWire, parsedBy } from '#api/schema/values.ts'
import type { OfferedBlock } from '#engine-api/contract.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { shareBytes } from '#platform/share-bytes.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'

const Status = object({
  status: oneOf(['VALID', 'INVALID', 'SYNCING', 'ACCEPTED', 'INVALID_BLOCK_HASH']),
  latestValidHash: HashText.nullable(),
  validationError: string().nullable(),
}).meta({ title: 'payload status' })

const payload = new Param(PayloadWire, 'INVALID_ENGINE_NEW_PAYLOAD_PARAMS')
const versionedHashes = new Param(array(HashWire), 'INVALID_VERSIONED_HASHES_PARAMS')
const parentBeaconBlockRoot = new Param(HashWire, 'INVALID_PARENT_BEACON_BLOCK_ROOT_PARAMS')
const executionRequests = new Param(
  array(string().transform(parsedBy((text) => parseData(text)))),
  'INVALID_EXECUTION_REQUESTS_PARAMS',
).optional()

type Needed = Pick<Resources, 'chain' | 'forkchoice'>
type BadHash = 'INVALID' | 'INVALID_BLOCK_HASH'

export const engine_newPayloadV1 = defineMethod({
  name: 'engine_newPayloadV1',
  summary: 'Validates and stores a block of Paris.',
  needs: ['chain', 'forkchoice'],
  cost: 'heavy',
  params: { payload },
  result: Status,
  run: (resources, params) =>
    offer(resources, params.payload, {}, { from: undefined, before: 'shanghai' }, 'INVALID_BLOCK_HASH'),
})

export const engine_newPayloadV2 = defineMethod({
  name: 'engine_newPayloadV2',
  summary: 'Validates and stores a block of Paris or Shanghai.',
  needs: ['chain', 'forkchoice'],
  cost: 'heavy',
  params: { payload },
  result: Status,
  run: (resources, params) => offer(resources, params.payload, {}, { from: undefined, before: 'cancun' }),
})

export const engine_newPayloadV3 = defineMethod({
  name: 'engine_newPayloadV3',
  summary: 'Validates and stores a block of Cancun.',
  needs: ['chain', 'forkchoice'],
  cost: 'heavy',
  params: { payload, versionedHashes, parentBeaconBlockRoot },
  result: Status,
  run: (resources, { payload: block, ...sides }) =>
    offer(resources, block, sides, { from: 'cancun', before: 'prague' }),
})

export const engine_newPayloadV4 = defineMethod({
  name: 'engine_newPayloadV4',
  summary: 'Validates and stores a block of Prague or Osaka.',
  needs: ['chain', 'forkchoice'],
  cost: 'heavy',
  params: { payload, versionedHashes, parentBeaconBlockRoot, executionRequests },
  result: Status,
  run: (resources, { payload: block, executionRequests: requests, ...sides }) => {
    if (requests === undefined) {
      throw rpcFault('INVALID_EXECUTION_REQUESTS_PARAMS', { data: 'Missing execution requests field' })
    }
    requireOrdered(requests)
    return offer(resources, block, { ...sides, requests }, { from: 'prague', before: 'amsterdam' })
  },
})

async function offer(
  resources: Needed,
  block: Payload,
  sides: PayloadSides,
  span: ForkSpan,
  onBadHash: BadHash = 'INVALID',
) {
  requireForm(resources, block)
  requireFork(resources, block.timestamp, span)
  let offered: OfferedBlock
  try {
    offered = blockOf(block, sides, resources.chain.keccak)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.kind === 'INVALID_HEX')
      throw rpcFault('INVALID_ENGINE_NEW_PAYLOAD_PARAMS', { data: error.message })
    return { status: onBadHash, latestValidHash: null, validationError: error.message }
  }
  const encoded = await shareBytes(offered.encoded)
  return await resources.forkchoice.offer({ ...offered, encoded })
}

/** A payload has exactly the members of its fork. */
function requireForm({ chain }: Needed, block: Payload): void {
  const { timestamp, withdrawals, blobGasUsed, excessBlobGas } = block
  if ((withdrawals != null) !== hasFork(chain, 'shanghai', timestamp))
    throw rpcFault('INVALID_WITHDRAWALS_PARAMS')
  const hasBlobs = hasFork(chain, 'cancun', timestamp)
  if ((blobGasUsed != null) !== hasBlobs || (excessBlobGas != null) !== hasBlobs) {
    const data = hasBlobs ? 'Missing blob gas fields' : 'Unexpected blob gas fields present'
    throw rpcFault('INVALID_ENGINE_NEW_PAYLOAD_PARAMS', { data })
  }
}

/** EIP-7685: one entry per type, in ascending order, none of them empty. */
function requireOrdered(requests: readonly Uint8Array[]): void {
  let last = -1
  for (const { length, 0: type = -1 } of requests) {
    if (length <= 1 || type <= last) {
      const data = 'Execution requests must not be empty, and their types must ascend'
      throw rpcFault('INVALID_EXECUTION_REQUESTS_PARAMS', { data })
    }
    last = type
  }
}
