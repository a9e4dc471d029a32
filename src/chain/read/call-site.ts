/** The place of a simulated call: the state after a block, and the block that the call sees. Works on any thread. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { gasLimitBefore, nextBaseFee } from '#chain/rules/base-fee.ts'
import { nextExcessBlobGas } from '#evm/block/blob-gas.ts'
import { blockEnvironment } from '#evm/block/block-environment.ts'
import { paymentOf } from '#evm/block/rewards.ts'
import type { BlockEnvironment } from '#evm/engine.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { type StateSource, withBlockHashes } from '#evm/state-lookup.ts'
import { type Address, ZERO_ADDRESS } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashToBytes, ZERO_HASH } from '#types/hash.ts'
import type { MaybePromise } from '#types/maybe-promise.ts'
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
export function openCallSite(chain: ChainView, known: KnownHeader): MaybePromise<CallSite> {
  const place = places.get(known.header)
  if (place?.config === chain.genesis.config) return siteIn(place, chain, known)
  return openPlace(chain, known.header).then((opened) => siteIn(opened, chain, known))
}

async function openPlace(chain: ChainView, header: BlockHeader): Promise<Place> {
  const { config } = chain.genesis
  const rules = rulesAt(config, header)
  const { beneficiary } = paymentOf(config, rules, header, await signerOf(chain, header))
  const block = blockEnvironment(rules, header, beneficiary)
  const place = { config, rules, block, hasBaseFee: header.baseFeePerGas !== undefined }
  places.set(header, place)
  return place
}

function siteIn({ rules, block, hasBaseFee }: Place, chain: ChainView, known: KnownHeader): CallSite {
  const { state, pinned } = sourceOn(chain, known, chain.pinState(known))
  return { rules, block, hasBaseFee, state, pinned }
}

interface Place {
  readonly config: Genesis['config']
  readonly rules: Rules
  readonly block: BlockEnvironment
  readonly hasBaseFee: boolean
}

/** Most calls happen in the same block, and a cached header is the same object when it is read again. */
const places = new WeakMap<BlockHeader, Place>()

/** Fields of the next block that its producer decides. */
export interface UpcomingBlock {
  readonly timestamp: bigint
  readonly coinbase: Address
  readonly mixHash: Hash
  /** Given if a request set it. */
  readonly gasLimit?: bigint | undefined
  readonly baseFeeWei?: bigint | undefined
}

/** A call in the block that would follow the given one. Without `next`, its fields are the usual ones. */
export function openNextCallSite(chain: ChainView, parent: KnownHeader, next?: UpcomingBlock): CallSite {
  if (next !== undefined) return siteIn(placeAfter(chain.genesis, parent.header, next), chain, parent)
  let place = nextPlaces.get(parent.header)
  if (place?.config !== chain.genesis.config) {
    place = placeAfter(chain.genesis, parent.header)
    nextPlaces.set(parent.header, place)
  }
  return siteIn(place, chain, parent)
}

function placeAfter(genesis: Genesis, parent: BlockHeader, next?: UpcomingBlock): Place {
  const { config } = genesis
  const header = nextHeader(genesis, parent, next)
  const rules = rulesAt(config, header)
  const block = blockEnvironment(rules, header, next?.coinbase ?? ZERO_ADDRESS)
  return { config, rules, block, hasBaseFee: header.baseFeePerGas !== undefined }
}

/** Places of the blocks that would follow these headers. */
const nextPlaces = new WeakMap<BlockHeader, Place>()

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
export function nextHeader(genesis: Genesis, parent: BlockHeader, next?: UpcomingBlock) {
  const { config } = genesis
  const draft = {
    number: parent.number + 1n,
    timestamp: next?.timestamp ?? parent.timestamp + slotSeconds(genesis),
    difficulty: parent.difficulty,
  }
  const rules = rulesAt(config, draft)
  return {
    ...draft,
    gasLimit: next?.gasLimit ?? gasLimitBefore(config, parent),
    mixHash: next?.mixHash ?? ZERO_HASH,
    baseFeePerGas: next?.baseFeeWei ?? nextBaseFee(genesis, rules, parent, draft.number),
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
