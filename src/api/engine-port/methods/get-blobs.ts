/** The versions of engine_getBlobs differ in their proofs and in the answer for missing blobs. */
import { array, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { type ForkSpan, requireFork } from '#api/engine-port/require-fork.ts'
import type { Resources } from '#api/resources.ts'
import { DataText, HashWire } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import type { ProvedBlob } from '#pool/contract.ts'
import type { Hash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { PROOF_BYTES, type SidecarVersion } from '#types/transaction/blob-sidecar.ts'

/** As in Besu. */
const MAX_BLOBS = 128

const hashes = new Param(array(HashWire), 'INVALID_VERSIONED_HASHES_PARAMS')

const WithProof = object({ blob: DataText, proof: DataText }).meta({ title: 'blob and proof' })
const WithProofs = object({ blob: DataText, proofs: array(DataText) }).meta({ title: 'blob and cell proofs' })

type Needed = Pick<Resources, 'chain' | 'pool'>

export const engine_getBlobsV1 = defineMethod({
  name: 'engine_getBlobsV1',
  summary: 'Returns blobs of the pool with their proofs, before Osaka; null for unknown blobs.',
  needs: ['chain', 'pool'],
  params: { hashes },
  result: array(WithProof.nullable()),
  run: async (resources, params) => {
    const found = await find(resources, params.hashes, 0, { from: 'cancun', before: 'osaka' })
    return found.map((one) => one && { blob: formatData(one.blob), proof: formatData(one.proofs) })
  },
})

export const engine_getBlobsV2 = defineMethod({
  name: 'engine_getBlobsV2',
  summary: 'Returns blobs of the pool with their cell proofs, from Osaka on; null if one is unknown.',
  needs: ['chain', 'pool'],
  params: { hashes },
  result: array(WithProofs).nullable(),
  run: async (resources, params) => {
    const found = (await findWithCells(resources, params.hashes)).filter((one) => one !== null)
    return found.length === params.hashes.length ? found : null
  },
})

export const engine_getBlobsV3 = defineMethod({
  name: 'engine_getBlobsV3',
  summary: 'Returns blobs of the pool with their cell proofs, from Osaka on; null for unknown blobs.',
  needs: ['chain', 'pool'],
  params: { hashes },
  result: array(WithProofs.nullable()),
  run: (resources, params) => findWithCells(resources, params.hashes),
})

async function findWithCells(resources: Needed, wanted: readonly Hash[]) {
  const found = await find(resources, wanted, 1, { from: 'osaka', before: 'amsterdam' })
  return found.map((one) => one && { blob: formatData(one.blob), proofs: proofsOf(one) })
}

async function find(
  { chain, pool }: Needed,
  wanted: readonly Hash[],
  version: SidecarVersion,
  span: ForkSpan,
): Promise<readonly (ProvedBlob | null)[]> {
  if (wanted.length > MAX_BLOBS) throw rpcFault('INVALID_RANGE_REQUEST_TOO_LARGE')
  requireFork({ chain }, chain.head().header.timestamp, span)
  const found = await pool.blobs(wanted)
  return found.map((one) => (one?.version === version ? one : null))
}

function proofsOf({ proofs }: ProvedBlob) {
  return Array.from({ length: proofs.length / PROOF_BYTES }, (_, index) =>
    formatData(proofs.subarray(index * PROOF_BYTES, (index + 1) * PROOF_BYTES)),
  )
}
