/**
 * The bytes of a simulated block. On a BFT network from Cancun on its header lacks the withdrawals root and yet has the
 * fields that forks added after it. No stored header is like that: the encoding of those ends with the first absent field.
 */
import { type Block, encodeBlock } from '#types/block/block.ts'
import { type BlockHeader, hashHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'

export function hashSimulated(header: BlockHeader, keccak: Keccak): Hash {
  return hashHeader(withoutGap(header), keccak)
}

export function simulatedSize(block: Block): number {
  return encodeBlock({ ...block, header: withoutGap(block.header) }).length
}

function withoutGap(header: BlockHeader): BlockHeader {
  if (header.withdrawalsRoot !== undefined) return header
  return {
    ...header,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
  }
}
