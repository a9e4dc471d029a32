import { buildingOptions } from '#chain/options.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { PoolLimits } from './core/pool-core.ts'
import { poolOptions } from './options.ts'
import type { SubmissionRules } from './prepare-submission.ts'

export interface PoolSettings extends PoolLimits {
  /** Only priority transactions may pay less. */
  readonly minGasPriceWei: bigint
  /** Whether transactions sent to this node have priority. */
  readonly hasLocalPriority: boolean
  readonly prioritySenders: ReadonlySet<Address>
  /** Whether the sender must be able to pay at submission. */
  readonly checksBalance: boolean
  readonly retentionMs: number
}

const HOUR_MS = 3_600_000
const DEFAULT_PRICE_BUMP = 10

export function readPoolSettings(
  settings: Settings,
  { config }: { readonly config: Pick<Genesis['config'], 'zeroBaseFee'> },
): PoolSettings {
  const minGasPriceWei = settings.get(buildingOptions.minGasPrice)
  const isFree = minGasPriceWei === 0n || config.zeroBaseFee
  const maxCount = settings.get(poolOptions.maxSize)
  return {
    maxCount,
    maxBytes: settings.get(poolOptions.maxBytes),
    maxGap: settings.get(poolOptions.maxFutureBySender),
    maxBySender: readShare(settings, maxCount),
    priceBump: settings.get(poolOptions.priceBump) ?? (isFree ? 0 : DEFAULT_PRICE_BUMP),
    blobPriceBump: settings.get(poolOptions.blobPriceBump),
    minGasPriceWei: readFloor(settings, minGasPriceWei),
    hasLocalPriority: !settings.get(poolOptions.noLocalPriority),
    prioritySenders: readPrioritySenders(settings),
    checksBalance: settings.get(poolOptions.enableBalanceCheck),
    retentionMs: settings.get(poolOptions.retentionHours) * HOUR_MS,
  }
}

export function readSubmissionRules(settings: Settings): SubmissionRules {
  return {
    feeCapWei: settings.get(poolOptions.feeCap),
    needsChainId: settings.get(poolOptions.strictReplayProtection),
    convertsBlobs: true,
  }
}

function readShare(settings: Settings, maxCount: number): number | undefined {
  const share = settings.get(poolOptions.limitByAccountPercentage)
  if (share === undefined) return undefined
  if (share <= 0 || share > 1) {
    throw usageFault(
      `${poolOptions.limitByAccountPercentage.flag} is above 0 and at most 1, and not ${share}.`,
    )
  }
  return Math.ceil(share * maxCount)
}

/** Other nodes may include a transaction that pays less than this node asks for its own blocks. */
function readFloor(settings: Settings, ofBlocks: bigint): bigint {
  const floor = settings.get(poolOptions.minGasPrice)
  if (floor === undefined) return ofBlocks
  if (floor > ofBlocks) {
    throw usageFault(
      `${poolOptions.minGasPrice.flag} is ${floor}, above the ${ofBlocks} of ${buildingOptions.minGasPrice.flag}: this node would refuse what it puts into blocks. Lower it, or raise the other.`,
    )
  }
  return floor
}

function readPrioritySenders(settings: Settings): ReadonlySet<Address> {
  const { prioritySenders } = poolOptions
  try {
    return new Set(settings.get(prioritySenders).map(parseAddress))
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw usageFault(`${prioritySenders.flag}: ${error.data.sentence}`)
  }
}
