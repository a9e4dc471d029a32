/** Who made the blocks of a range. */
import { array, object } from 'zod'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Engine } from '#evm/engine.ts'
import { evmFault } from '#evm/faults.ts'
import type { Address } from '#types/address.ts'
import { formatQuantity } from '#types/hex.ts'
import { validatorsAfter } from './bft-network.ts'
import type { RunContext } from './define-method.ts'
import { rpcFault } from './errors.ts'
import { AddressText } from './schema/address.ts'
import { BlockNumber, type PlaceSelector } from './schema/block-selector.ts'
import { QuantityText } from './schema/quantity.ts'

/** What both protocols' methods take and give. */
export const SIGNER_METRICS_PARAMS = { fromBlock: BlockNumber.optional(), toBlock: BlockNumber.optional() }
export const SignerMetrics = array(
  object({
    address: AddressText,
    proposedBlockCount: QuantityText,
    lastProposedBlockNumber: QuantityText,
  }),
)

const DEFAULT_RANGE_BLOCKS = 100
/** Between looks at the cell that ends the work. */
const BLOCKS_PER_LOOK = 1_024

interface Signer {
  blocks: number
  last: number
}

/** The first block is counted, the last is not. */
export async function signerMetrics(
  { chain, engine }: { readonly chain: ChainView; readonly engine: Engine },
  { fromBlock, toBlock }: { fromBlock: PlaceSelector | undefined; toBlock: PlaceSelector | undefined },
  { cancel }: Pick<RunContext, 'cancel'>,
) {
  const head = Number(chain.head().header.number)
  const from = fromBlock ? placeOf(fromBlock, head) : Math.max(0, head - DEFAULT_RANGE_BLOCKS)
  const to = toBlock ? Math.min(placeOf(toBlock, head), head) : head
  if (from >= to) throw rpcFault('INVALID_BLOCK_NUMBER_PARAMS')
  const signers = countBlocks(chain, from, to, cancel)
  const last = chain.lookup.header(to - 1)
  const validators = (last && (await validatorsAfter(chain, engine, last))) ?? []
  // Those who validate now come first, whether they made a block or not; then who made some and left.
  const others = [...signers.keys()].filter((address) => !validators.includes(address)).sort()
  return [...validators, ...others].map((address) => {
    const { blocks, last } = signers.get(address) ?? { blocks: 0, last: 0 }
    return {
      address,
      proposedBlockCount: formatQuantity(BigInt(blocks)),
      lastProposedBlockNumber: formatQuantity(BigInt(last)),
    }
  })
}

function countBlocks(
  chain: ChainView,
  from: number,
  to: number,
  cancel: Int32Array | undefined,
): Map<Address, Signer> {
  const signers = new Map<Address, Signer>()
  for (let number = from; number < to; number++) {
    if (number % BLOCKS_PER_LOOK === 0 && cancel !== undefined && Atomics.load(cancel, 0) !== 0) {
      throw evmFault('ENGINE_CANCELLED', { sentence: 'The request was given up.' })
    }
    const found = chain.lookup.header(number)
    if (found === undefined) continue
    const { coinbase } = found.header
    signers.set(coinbase, { blocks: (signers.get(coinbase)?.blocks ?? 0) + 1, last: number })
  }
  return signers
}

function placeOf(selector: PlaceSelector, head: number): number {
  if (selector.kind === 'number') return Number(selector.number)
  switch (selector.tag) {
    case 'earliest':
      return 0
    case 'latest':
    case 'pending':
    // Of validators' blocks, all are final.
    case 'safe':
    case 'finalized':
      return head
  }
}
