/** Where calls are simulated: the state after a block, and a block that they seem to stand in. On any thread. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { ELASTICITY, isFirstOfLondon, nextBaseFee } from '#chain/rules/base-fee.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import { blockEnvironment } from '#evm/block/block-environment.ts'
import { paymentOf } from '#evm/block/rewards.ts'
import type { BlockEnvironment } from '#evm/engine.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import type { StateSource } from '#evm/state-lookup.ts'
import { ZERO_ADDRESS } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { ChainView, PinnedState } from './chain-view.ts'
import { signerOf } from './replay.ts'

export interface CallSite {
  readonly rules: Rules
  readonly block: BlockEnvironment
  /** Whether the block has a base fee at all. */
  readonly hasBaseFee: boolean
  readonly state: StateSource
  /** What `state` reads. To be confirmed after the last read. */
  readonly pinned: PinnedState
}

/** Of networks whose genesis file says nothing else. */
export const SLOT_SECONDS = 12n

/** In a block and on the state after it. Throws STATE_UNAVAILABLE where it is not canonical, or its state not kept. */
export async function openCallSite(chain: ChainView, known: KnownHeader): Promise<CallSite> {
  const { header } = known
  const { config } = chain.genesis
  let place = places.get(header)
  if (place?.config !== config) {
    const rules = rulesAt(config, header)
    const { beneficiary } = paymentOf(config, rules, header, await signerOf(chain, header))
    place = { config, rules, block: blockEnvironment(rules, header, beneficiary) }
    places.set(header, place)
  }
  const { state, pinned } = openSource(chain, known)
  return {
    rules: place.rules,
    block: place.block,
    hasBaseFee: header.baseFeePerGas !== undefined,
    state,
    pinned,
  }
}

interface Place {
  readonly config: Genesis['config']
  readonly rules: Rules
  readonly block: BlockEnvironment
}

/** Most calls are made in the same block. A header that is read again is the same object while it is remembered. */
const places = new WeakMap<BlockHeader, Place>()

/** In the block that would follow the given one. */
export function openNextCallSite(chain: ChainView, parent: KnownHeader): CallSite {
  const header = nextHeader(chain.genesis, parent.header)
  const rules = rulesAt(chain.genesis.config, header)
  return {
    rules,
    block: blockEnvironment(rules, header, ZERO_ADDRESS),
    hasBaseFee: header.baseFeePerGas !== undefined,
    ...openSource(chain, parent),
  }
}

/** The state after exactly this block, with the hashes of the blocks before. */
export function openSource(chain: ChainView, known: KnownHeader): Pick<CallSite, 'state' | 'pinned'> {
  const pinned = chain.stateAt(Number(known.header.number), known.hash)
  let source = sources.get(pinned)
  if (source === undefined) {
    source = { state: sourceOf(chain, known, pinned), pinned }
    sources.set(pinned, source)
  }
  return source
}

/** One for each state that is remembered: by it sessions are found again (evm/simulate/call-sessions.ts). */
const sources = new WeakMap<PinnedState, Pick<CallSite, 'state' | 'pinned'>>()

function sourceOf(chain: ChainView, { header }: KnownHeader, pinned: PinnedState): StateSource {
  return {
    isFixed: true,
    account: (address) => pinned.account(address),
    storage: (address, slot) => pinned.storage(address, slot),
    code: (codeHash) => pinned.code(codeHash),
    blockHash: (number) => {
      const ancestor = number <= header.number ? chain.lookup.header(Number(number)) : undefined
      return ancestor && hashToBytes(ancestor.hash)
    },
  }
}

/** What is known of the block that would follow. */
export function nextHeader(genesis: Genesis, parent: BlockHeader) {
  const { config } = genesis
  const draft = {
    number: parent.number + 1n,
    timestamp: parent.timestamp + slotSeconds(genesis),
    difficulty: parent.difficulty,
  }
  const rules = rulesAt(config, draft)
  return {
    ...draft,
    gasLimit: parent.gasLimit * (isFirstOfLondon(config, draft.number) ? ELASTICITY : 1n),
    mixHash: ZERO_HASH,
    baseFeePerGas: nextBaseFee(genesis, rules, parent, draft.number),
    excessBlobGas: nextExcessBlobGas(rules, {
      excessBlobGas: parent.excessBlobGas ?? 0n,
      blobGasUsed: parent.blobGasUsed ?? 0n,
      baseFeePerGas: parent.baseFeePerGas ?? 0n,
    }),
  }
}

function slotSeconds({ config: { consensus } }: Genesis): bigint {
  switch (consensus.protocol) {
    case 'qbft':
      return BigInt(consensus.qbft.blockPeriodSeconds)
    case 'ibft2':
      return BigInt(consensus.ibft2.blockPeriodSeconds)
    case 'migration':
      return BigInt(consensus.qbft.blockPeriodSeconds)
    default:
      return SLOT_SECONDS
  }
}
