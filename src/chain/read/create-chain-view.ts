import type { KnownHeader } from '#chain/block/stages.ts'
import { rulesAt } from '#evm/rules.ts'
import type { StoreReader } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import type { ChainView, HeadMark } from './chain-view.ts'
import { FeeSamples } from './fee-samples.ts'
import { Lookup } from './lookup.ts'
import { TotalDifficulties } from './total-difficulty.ts'

export interface ChainViewOptions {
  /** Has block 0 at least. */
  readonly store: StoreReader
  readonly genesis: Genesis
  readonly keccak?: Keccak
  /** The last head that was announced to this thread. Without it the head is what is durable when asked. */
  readonly announcedHead?: () => HeadMark | undefined
  /** What catchUp does where heads are announced. */
  readonly onCatchUp?: () => void
}

export function createChainView(options: ChainViewOptions): ChainView {
  const { store, genesis, keccak = keccak256, announcedHead, onCatchUp } = options
  const lookup = new Lookup(store, keccak)
  const difficulties = new TotalDifficulties(lookup, genesis)
  let known: KnownHeader | undefined

  /** Most requests ask for the head, and it moves once in a second or so. */
  const headerOf = (hash: Hash): KnownHeader => {
    if (known?.hash !== hash) {
      known = lookup.header(hash)
      assert(known !== undefined, 'A head is stored before it is announced.')
    }
    return known
  }
  const storedHead = (): KnownHeader => {
    const head = store.head()
    assert(head !== undefined, 'A chain that is read has block 0.')
    return headerOf(hashFromBytes(head.hash))
  }
  const head = (): KnownHeader => {
    const announced = announcedHead?.()
    return announced === undefined ? storedHead() : headerOf(announced.hash)
  }
  /** Validators agree on a block before it is in the chain, and so it stays; elsewhere somebody has to say so. */
  const finalOr = (marked: () => KnownHeader | undefined): KnownHeader | undefined => {
    const last = head()
    return rulesAt(genesis.config, last.header).consensus === 'bft' ? last : marked()
  }
  return {
    genesis,
    lookup,
    keccak,
    head,
    transactionInBlock: (hash) => {
      const found = lookup.transactionInBlock(hash)
      return found && found.known.block.header.number <= head().header.number ? found : undefined
    },
    storedHead,
    catchUp: () => onCatchUp?.(),
    unwinds: () => store.head()?.unwinds ?? 0,
    safe: () => finalOr(() => markedHeader(store.safe())),
    finalized: () => finalOr(() => markedHeader(store.finalized())),
    totalDifficulty: (block) => difficulties.of(block),
    fees: new FeeSamples(lookup),
    lowestState: () => store.lowestState(),
    stateAt: (number, hash) => store.stateAt(number, hash && hashToBytes(hash)),
    proofAt: (number, address, slots) => store.proofAt(number, address, slots),
    accountHashesAt: (number, from, limit) => store.accountHashesAt(number, from, limit),
    slotsAt: (number, address, from, limit) => store.slotsAt(number, address, from, limit),
    rootAfter: (number, changes) => store.rootAfter(number, changes),
    addressOf: (hash) => store.addressOf(hash),
    slotOf: (hash) => store.slotOf(hash),
  }

  function markedHeader(mark: { readonly hash: Uint8Array } | undefined): KnownHeader | undefined {
    return mark && lookup.header(hashFromBytes(mark.hash))
  }
}
