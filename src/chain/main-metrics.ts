/** Chain metrics of the main thread; the writer thread adds more (chain-metrics.ts). */
import { freeBytes } from '#platform/disk-space.ts'
import { directoryBytes } from '#platform/files/files.ts'
import { Gauges } from '#platform/metrics/metrics.ts'
import type { LiveBuilding } from './build/building-settings.ts'
import type { HeadMark } from './read/chain-view.ts'

interface ReadChain {
  readonly chain: { readonly head: HeadMark }
  readonly building: LiveBuilding
}

export const MAIN_GAUGES = new Gauges<ReadChain>('ethereum')
export const DATABASE_GAUGES = new Gauges<{ readonly path: string }>('database')

export const BLOCKCHAIN_HEIGHT = MAIN_GAUGES.declare({
  name: 'blockchain_height',
  help: 'Number of the head',
  besu: 'same',
  read: ({ chain }) => chain.head.number,
})

export const MIN_GAS_PRICE = MAIN_GAUGES.declare({
  name: 'min_gas_price',
  help: 'Minimum gas price of transactions in own blocks, in wei',
  besu: 'same',
  read: ({ building }) => Number(building.settings().minGasPriceWei),
})

export const MIN_PRIORITY_FEE = MAIN_GAUGES.declare({
  name: 'min_priority_fee',
  help: 'Minimum priority fee of transactions in own blocks, in wei',
  besu: 'same',
  read: ({ building }) => Number(building.settings().minPriorityFeeWei),
})

export const DATABASE_SIZE = DATABASE_GAUGES.declare({
  name: 'size_bytes',
  help: 'Size of the database files, in bytes',
  read: ({ path }) => directoryBytes(path),
})

export const DISK_FREE = DATABASE_GAUGES.declare({
  name: 'free_bytes',
  help: 'Free space on the database disk, in bytes',
  read: ({ path }) => freeBytes(path),
})
