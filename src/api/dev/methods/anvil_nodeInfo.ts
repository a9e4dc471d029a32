import { literal, null as nothing, number, object, string } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { atLeast } from '#api/fee-bounds.ts'
import { HashText, QuantityText } from '#api/schema/values.ts'
import { nextHeader } from '#chain/read/call-site.ts'
import { rulesAt } from '#evm/rules.ts'
import { formatQuantity } from '#types/hex.ts'

const Info = object({
  currentBlockNumber: QuantityText,
  currentBlockTimestamp: number(),
  currentBlockHash: HashText,
  hardFork: string(),
  transactionOrder: literal('fees'),
  environment: object({
    baseFee: QuantityText,
    chainId: number(),
    gasLimit: QuantityText,
    gasPrice: QuantityText,
  }),
  forkConfig: object({ forkUrl: nothing(), forkBlockNumber: nothing(), forkRetryBackoff: nothing() }),
}).meta({ title: 'node info' })

export default defineDevMethod({
  name: 'anvil_nodeInfo',
  summary: 'The head, the fork and the terms of the next block.',
  needs: ['chain', 'dev', 'building'],
  params: {},
  result: Info,
  run: async ({ chain, dev, building }) => {
    const { hash, header } = chain.head()
    const { config } = chain.genesis
    const next = nextHeader(chain.genesis, header)
    const baseFee = (await dev.nextBlock()).baseFeeWei ?? next.baseFeePerGas ?? 0n
    const { minGasPriceWei } = await building.settings()
    return {
      currentBlockNumber: formatQuantity(header.number),
      currentBlockTimestamp: Number(header.timestamp),
      currentBlockHash: hash,
      hardFork: rulesAt(config, next).fork,
      transactionOrder: 'fees' as const,
      environment: {
        baseFee: formatQuantity(baseFee),
        chainId: Number(config.chainId),
        gasLimit: formatQuantity(next.gasLimit),
        gasPrice: formatQuantity(atLeast(minGasPriceWei, baseFee)),
      },
      forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
    }
  },
})
