/** The initial block-building settings: the options, with name and version as extra data. */
import { type BuildingSettings, MAX_EXTRA_DATA_BYTES } from '#chain/build/building-settings.ts'
import { buildingOptions } from '#chain/options.ts'
import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { consensusOptions } from '#consensus/options.ts'
import { parseDataLenient } from '#types/hex.ts'
import { packageVersion } from './version.ts'

export function readBuilding(settings: Settings): BuildingSettings {
  const target = settings.get(buildingOptions.targetGasLimit)
  return {
    targetGasLimit: target === undefined ? undefined : BigInt(target),
    minGasPriceWei: settings.get(buildingOptions.minGasPrice),
    minPriorityFeeWei: settings.get(buildingOptions.minPriorityFee),
    extraData: readExtraData(settings),
  }
}

function readExtraData(settings: Settings): Uint8Array {
  const given = settings.get(consensusOptions.minerExtraData)
  const content = given === undefined ? new TextEncoder().encode(`cairn ${packageVersion()}`) : bytesOf(given)
  return content.subarray(0, MAX_EXTRA_DATA_BYTES)
}

function bytesOf(text: string): Uint8Array {
  try {
    return parseDataLenient(text)
  } catch {
    throw usageFault(`--miner-extra-data is data in hex, and not '${text}'.`)
  }
}
