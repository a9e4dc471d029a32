import { type PriceResources, usualGasPrice, usualPriorityFee } from '#api/calls/usual-prices.ts'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import { formatQuantity } from '#types/hex.ts'

/** Needs 'engine' so that no other request waits: the first call decodes a hundred blocks. */
const usual = (
  name: string,
  summary: string,
  minWeiOf: (settings: BuildingSettings) => bigint,
  priceOf: (resources: PriceResources, minWei: bigint) => bigint,
) =>
  defineMethod({
    name,
    summary,
    needs: ['chain', 'engine', 'limits', 'building'],
    params: {},
    result: QuantityText,
    isFixedPerHead: true,
    resolve: async ({ building }) => minWeiOf(await building.settings()),
    run: (resources, _, { resolved }) => formatQuantity(priceOf(resources, resolved)),
  })

export const eth_gasPrice = usual(
  'eth_gasPrice',
  'A gas price that is usual in recent blocks and sufficient for the next one.',
  ({ minGasPriceWei }) => minGasPriceWei,
  usualGasPrice,
)

export const eth_maxPriorityFeePerGas = usual(
  'eth_maxPriorityFeePerGas',
  'A priority fee per gas that is usual in recent blocks.',
  ({ minPriorityFeeWei }) => minPriorityFeeWei,
  usualPriorityFee,
)
