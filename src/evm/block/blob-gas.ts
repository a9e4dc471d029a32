/** Blob prices: EIP-4844, EIP-7691, EIP-7918 and the BPO forks. */

import type { Rules } from '#evm/rules.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { MAX_UINT64, MAX_UINT256 } from '#types/bytes.ts'
import { GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'

const MIN_BASE_FEE_PER_BLOB_GAS = 1n
/** EIP-7918: a blob costs at least as much as this amount of ordinary gas. */
const BLOB_BASE_COST = 8_192n

export function blobBaseFee(rules: Rules, excessBlobGas: bigint): bigint {
  if (rules.blobs === undefined || rules.feeMarket !== 'market') return 0n
  return fakeExponential(MIN_BASE_FEE_PER_BLOB_GAS, excessBlobGas, BigInt(rules.blobs.baseFeeUpdateFraction))
}

type BlobParent = Pick<BlockHeader, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>

/** The excess blob gas after `parent`, limited to the 64 bits of a header; a parent before Cancun has none. */
export function nextExcessBlobGas(rules: Rules, parent: BlobParent): bigint {
  const excess = excessAfter(rules, parent)
  if (excess > MAX_UINT64) return MAX_UINT64
  return excess
}

function excessAfter(
  rules: Rules,
  { excessBlobGas = 0n, blobGasUsed = 0n, baseFeePerGas = 0n }: BlobParent,
): bigint {
  if (rules.blobs === undefined) return 0n
  const target = BigInt(rules.blobs.target) * GAS_PER_BLOB
  const used = excessBlobGas + blobGasUsed
  if (used < target) return 0n
  if (rules.has('osaka')) {
    const reserve = BLOB_BASE_COST * baseFeePerGas
    if (reserve > GAS_PER_BLOB * blobBaseFee(rules, excessBlobGas)) {
      const max = BigInt(rules.blobs.max)
      return excessBlobGas + (blobGasUsed * (max - BigInt(rules.blobs.target))) / max
    }
  }
  return used - target
}

/**
 * factor * e ** (numerator / denominator) by its Taylor series, as the EIP defines it. It stops at the largest price
 * that a transaction can name: an excess of 64 bits would otherwise take hours.
 */
function fakeExponential(factor: bigint, numerator: bigint, denominator: bigint): bigint {
  let sum = 0n
  let term = factor * denominator
  const end = MAX_UINT256 * denominator
  for (let n = 1n; term > 0n; n++) {
    sum += term
    if (sum > end) return MAX_UINT256
    term = (term * numerator) / (denominator * n)
  }
  return sum / denominator
}
