/** The place of a simulated call: the state after a block, and the block that the call sees. Works on any thread. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { gasLimitBefore, nextBaseFee } from '#chain/rules/base-fee.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import { blockEnvironment } from '#evm/block/block-environment.ts'
import { paymentOf } from '#evm/block/rewards.ts'
import type { BlockEnvironment } from '#evm/engine.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { type StateSource, withBlockHashes } from '#evm/state-lookup.ts'
import { ZERO_ADDRESS } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { ChainView, PinnedState } from './chain-view.ts'
import { signerOf } from './replay.ts'

export interface CallSite {
  readonly rules: Rules
  readonly block: BlockEnvironment
  readonly hasBaseFee: boolean
  readonly state: StateSource
  /** The state behind `state`; confirm it after the last read. */
  readonly pinned: PinnedState
}

/** The slot time of networks whose genesis file does not set one. */
export const SLOT_SECONDS = 12n

/**
 * A call in a block and on the state after it. Throws STATE_UNAVAILABLE if the block is not canonical or its state is
 * not kept; `confirm` may throw it later.
 */
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
  const { rules, block } = place
  return {
    rules,
    block,
    hasBaseFee: header.baseFeePerGas !== undefined,
    ...sourceOn(chain, known, chain.pinState(known)),
  }
}

interface Place {
  readonly config: Genesis['config']
  readonly rules: Rules
  readonly block: BlockEnvironment
}

/** Most calls happen in the same block, and a cached header is the same object when it is read again. */
const places = new WeakMap<BlockHeader, Place>()

/** A call in the block that would follow the given one. */
export function openNextCallSite(chain: ChainView, parent: KnownHeader): CallSite {
  const header = nextHeader(chain.genesis, parent.header)
  const rules = rulesAt(chain.genesis.config, header)
  return {
    rules,
    block: blockEnvironment(rules, header, ZERO_ADDRESS),
    hasBaseFee: header.baseFeePerGas !== undefined,
    ...sourceOn(chain, parent, chain.pinState(parent)),
  }
}

/** The state after exactly this block, with the hashes of the blocks before it. */
export function openSource(chain: ChainView, known: KnownHeader): Pick<CallSite, 'state' | 'pinned'> {
  return sourceOn(chain, known, chain.stateAt(Number(known.header.number), known.hash))
}

function sourceOn(
  chain: ChainView,
  known: KnownHeader,
  pinned: PinnedState,
): Pick<CallSite, 'state' | 'pinned'> {
  let source = sources.get(pinned)
  if (source === undefined) {
    source = { state: sourceOf(chain, known, pinned), pinned }
    sources.set(pinned, source)
  }
  return source
}

/** One source per cached state, because sessions are found by it (evm/simulate/call-sessions.ts). */
const sources = new WeakMap<PinnedState, Pick<CallSite, 'state' | 'pinned'>>()

function sourceOf(chain: ChainView, { header }: KnownHeader, pinned: PinnedState): StateSource {
  const source = withBlockHashes(pinned, (number) => {
    const ancestor = number <= header.number ? chain.lookup.header(Number(number)) : undefined
    return ancestor && hashToBytes(ancestor.hash)
  })
  return { ...source, isFixed: true }
}

/** The known fields of the next header. */
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
    gasLimit: gasLimitBefore(config, parent),
    mixHash: ZERO_HASH,
    baseFeePerGas: nextBaseFee(genesis, rules, parent, draft.number),
    excessBlobGas: nextExcessBlobGas(rules, parent),
  }
}

function slotSeconds({ config: { consensus } }: Genesis): bigint {
  switch (consensus.protocol) {
    case 'qbft':
    case 'migration':
      return BigInt(consensus.qbft.blockPeriodSeconds)
    case 'ibft2':
      return BigInt(consensus.ibft2.blockPeriodSeconds)
    default:
      return SLOT_SECONDS
  }
}
