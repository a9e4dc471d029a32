/** Fees of a range of blocks and of the block after it, for eth_feeHistory. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { blobBaseFee } from '#evm/block/blob-gas.ts'
import { rulesAt } from '#evm/rules.ts'
import { assert } from '#types/assert.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { effectiveGasPrice, GAS_PER_BLOB } from '#types/transaction/transaction-fees.ts'
import { nextHeader } from './call-site.ts'
import type { ChainView } from './chain-view.ts'

export interface FeeHistory {
  readonly oldest: bigint
  /** The base fees of each block and of the one after the last. */
  readonly baseFees: readonly bigint[]
  readonly blobBaseFees: readonly bigint[]
  readonly gasUsedRatios: readonly number[]
  readonly blobGasUsedRatios: readonly number[]
  /** One list per block with one tip per percentile; undefined if not requested. */
  readonly rewards: readonly (readonly bigint[])[] | undefined
}

/** Follows parent hashes, so all blocks belong to one chain. */
export function feeHistory(
  chain: ChainView,
  newest: KnownHeader,
  count: number,
  percentiles: readonly number[] | undefined,
): FeeHistory {
  const { genesis } = chain
  const blocks = lastBlocks(chain, newest, count)
  const next = nextHeader(genesis, newest.header)
  return {
    oldest: blocks[0]!.header.number,
    baseFees: [...blocks.map(({ header }) => header.baseFeePerGas ?? 0n), next.baseFeePerGas ?? 0n],
    blobBaseFees: [
      ...blocks.map(({ header }) => blobFeeOf(genesis, header)),
      blobBaseFee(rulesAt(genesis.config, next), next.excessBlobGas),
    ],
    gasUsedRatios: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
    blobGasUsedRatios: blocks.map(({ header }) => blobRatioOf(genesis, header)),
    rewards: percentiles && blocks.map((block) => rewardsOf(chain, block, percentiles)),
  }
}

function lastBlocks({ lookup }: ChainView, newest: KnownHeader, count: number): KnownHeader[] {
  const blocks = [newest]
  for (let at = newest; blocks.length < count && at.header.number > 0n; blocks.push(at)) {
    const parent = lookup.header(at.header.parentHash)
    assert(parent !== undefined, 'A stored block has a stored parent.')
    at = parent
  }
  return blocks.reverse()
}

/** Besu reports 0 for block 0, which no earlier blobs could have priced. */
function blobFeeOf(genesis: Genesis, header: BlockHeader): bigint {
  if (header.number === 0n || header.excessBlobGas === undefined) return 0n
  return blobBaseFee(rulesAt(genesis.config, header), header.excessBlobGas)
}

function blobRatioOf(genesis: Genesis, header: BlockHeader): number {
  const max = rulesAt(genesis.config, header).blobs?.max ?? 0
  return max === 0 ? 0 : Number(header.blobGasUsed ?? 0n) / (max * Number(GAS_PER_BLOB))
}

/** Sorts tips by height, weights them by gas and reads off the percentiles. */
function rewardsOf(
  { lookup }: ChainView,
  { hash, header }: KnownHeader,
  percentiles: readonly number[],
): bigint[] {
  const transactions = lookup.block(hash)?.block.transactions ?? []
  const receipts = lookup.receipts(hash) ?? []
  if (transactions.length === 0) return percentiles.map(() => 0n)
  const baseFee = header.baseFeePerGas ?? 0n
  const paid = receipts.map(({ cumulativeGasUsed }, index) => ({
    tip: effectiveGasPrice(transactions[index]!, baseFee) - baseFee,
    gasUsed: cumulativeGasUsed - (receipts[index - 1]?.cumulativeGasUsed ?? 0n),
  }))
  paid.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  const rewards: bigint[] = []
  let gasUsed = 0n
  for (const { tip, gasUsed: own } of paid) {
    gasUsed += own
    const reached = (100 * Number(gasUsed)) / Number(header.gasUsed)
    while (rewards.length < percentiles.length && reached >= percentiles[rewards.length]!) rewards.push(tip)
  }
  while (rewards.length < percentiles.length) rewards.push(paid.at(-1)!.tip)
  return rewards
}
