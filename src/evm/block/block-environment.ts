import type { BlockEnvironment } from '#evm/engine.ts'
import type { Rules } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { hashToBytes } from '#types/hash.ts'
import { blobBaseFee } from './blob-gas.ts'

type VisibleHeader = Pick<
  BlockHeader,
  'number' | 'timestamp' | 'gasLimit' | 'difficulty' | 'mixHash' | 'baseFeePerGas' | 'excessBlobGas'
>

/** The block as code sees it; `beneficiary` receives the fees. */
export function blockEnvironment(
  rules: Rules,
  header: VisibleHeader,
  beneficiary: Address,
): BlockEnvironment {
  return {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    coinbase: beneficiary,
    difficulty: header.difficulty,
    prevRandao: hashToBytes(header.mixHash),
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    blobBaseFee: blobBaseFee(rules, header.excessBlobGas ?? 0n),
  }
}
