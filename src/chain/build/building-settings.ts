/** What the blocks of this node are like: as its options say, and changed while it runs by the methods of MINER. */

export interface BuildingSettings {
  /** Where the gas limit goes; undefined: it stays. */
  readonly targetGasLimit: bigint | undefined
  /** What a transaction pays per gas at least, to be chosen. */
  readonly minGasPriceWei: bigint
  /** What of it the maker of the block gets at least. */
  readonly minPriorityFeeWei: bigint
  /** At most 32 bytes; where headers have more than that to tell, their vanity. */
  readonly extraData: Uint8Array
}

/** Block headers hold no more. */
export const MAX_EXTRA_DATA_BYTES = 32

/** One for the whole node, on main. What is changed is forgotten when the node stops, as in Besu. */
export class LiveBuilding {
  #settings: BuildingSettings

  constructor(settings: BuildingSettings) {
    this.#settings = settings
  }

  settings(): BuildingSettings {
    return this.#settings
  }

  change(changes: Partial<BuildingSettings>): void {
    this.#settings = { ...this.#settings, ...changes }
  }
}
