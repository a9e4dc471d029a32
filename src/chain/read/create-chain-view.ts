import type { KnownHeader } from '#chain/block/stages.ts'
import { rulesAt } from '#evm/rules.ts'
import type { StoreReader } from '#store/reader.ts'
import { assert } from '#types/assert.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import type { ChainView, HeadMark, PinnedState } from './chain-view.ts'
import { EditedStates } from './edited-states.ts'
import { FeeSamples } from './fee-samples.ts'
import { Lookup } from './lookup.ts'
import { TotalDifficulties } from './total-difficulty.ts'

export interface ChainViewOptions {
  /** Contains at least block 0. */
  readonly store: StoreReader
  readonly genesis: Genesis
  readonly keccak?: Keccak
  /** The head announced last to this thread. Without it, the head is the durable one. */
  readonly announcedHead?: () => HeadMark | undefined
  /** Implements catchUp on threads that receive announcements. */
  readonly onCatchUp?: () => void
}

export function createChainView(options: ChainViewOptions): ChainView {
  const { store, genesis, keccak = keccak256, announcedHead, onCatchUp } = options
  const lookup = new Lookup(store, keccak)
  const difficulties = new TotalDifficulties(lookup, genesis)
  let known: KnownHeader | undefined

  /** Cached because most requests ask for the head, which moves about once a second. */
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
  /** BFT blocks are final. On other networks, the marks decide. */
  const finalOr = (marked: () => KnownHeader | undefined): KnownHeader | undefined => {
    const last = head()
    return rulesAt(genesis.config, last.header).consensus === 'bft' ? last : marked()
  }
  const edited = store.isDevelopment ? new EditedStates(store, keccak) : undefined
  const stateAt = (number: number, hash?: Hash): PinnedState => {
    const state = store.stateAt(number, hash && hashToBytes(hash))
    return edited?.of(state) ?? state
  }
  let pinned: { readonly hash: Hash; readonly state: PinnedState } | undefined
  return {
    genesis,
    lookup,
    keccak,
    head,
    transactionInBlock: (hash) => {
      const found = lookup.transactionInBlock(hash)
      return found && found.known.header.number <= head().header.number ? found : undefined
    },
    storedHead,
    catchUp: () => {
      pinned = undefined
      onCatchUp?.()
    },
    unwinds: () => store.head()?.unwinds ?? 0,
    safe: () => finalOr(() => markedHeader(store.safe())),
    finalized: () => finalOr(() => markedHeader(store.finalized())),
    totalDifficulty: (block) => difficulties.of(block),
    fees: new FeeSamples(lookup),
    isDevelopment: store.isDevelopment,
    lowestState: () => store.lowestState(),
    stateAt,
    editsAfter: (number) => (edited === undefined ? [] : store.editsAfter(number).changes),
    pinState: ({ hash, header }) => {
      // Edits change the state of the head without a new block.
      if (pinned?.hash !== hash || edited !== undefined)
        pinned = { hash, state: stateAt(Number(header.number), hash) }
      return pinned.state
    },
    proofAt: (number, address, slots) => store.proofAt(number, address, slots),
    accountHashesAt: (number, from, limit) => store.accountHashesAt(number, from, limit),
    slotsAt: (number, address, from, limit) => store.slotsAt(number, address, from, limit),
    rootAfter: (number, changes) => store.rootAfter(number, edited?.join(number, changes) ?? changes),
    addressOf: (hash) => store.addressOf(hash),
    slotOf: (hash) => store.slotOf(hash),
  }

  function markedHeader(mark: { readonly hash: Uint8Array } | undefined): KnownHeader | undefined {
    return mark && lookup.header(hashFromBytes(mark.hash))
  }
}
