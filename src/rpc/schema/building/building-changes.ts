import type { Live } from '#rpc/contracts.ts'
import { formatData } from '#types/hex.ts'

/** For the audit log: what the blocks of this node are like. */
export const BUILDING_CHANGES = {
  what: 'block making',
  observe: async ({ building }: Pick<Live, 'building'>) => {
    const { targetGasLimit, minGasPriceWei, minPriorityFeeWei, extraData } = await building.settings()
    return {
      targetGasLimit: targetGasLimit?.toString() ?? null,
      minGasPriceWei: minGasPriceWei.toString(),
      minPriorityFeeWei: minPriorityFeeWei.toString(),
      extraData: formatData(extraData),
    }
  },
} as const
