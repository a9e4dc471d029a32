/** Properties of the blocks that this node builds. The options set them, and MINER methods change them at run time. */

export interface BuildingSettings {
  /** The gas limit to move towards; the limit stays if undefined. */
  readonly targetGasLimit: bigint | undefined
  /** Minimum gas price of selected transactions. */
  readonly minGasPriceWei: bigint
  /** Minimum priority fee of selected transactions, paid to the proposer. */
  readonly minPriorityFeeWei: bigint
  /** At most 32 bytes; BFT headers, whose extra data holds more, use it as the vanity. */
  readonly extraData: Uint8Array
}

export const MAX_EXTRA_DATA_BYTES = 32

/** The settings of the node, on the main thread. Changes are lost when the node stops, as in Besu. */
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
