import type { Address } from '#types/address.ts'
import type { PoolLimits } from './core/pool-core.ts'

export interface PoolSettings extends PoolLimits {
  /** Below it only transactions with priority enter. */
  readonly minGasPriceWei: bigint
  /** Whether transactions sent to this node have priority. */
  readonly hasLocalPriority: boolean
  readonly prioritySenders: ReadonlySet<Address>
  /** Whether the sender must be able to pay when it submits. */
  readonly checksBalance: boolean
  /** How long a transaction may wait. */
  readonly retentionMs: number
}
