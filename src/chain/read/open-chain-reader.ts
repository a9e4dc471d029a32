/** The chain for a reading thread: its own view of the store, and the head announced to it. */
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { ArchivePlace } from '#store/archive/archive-place.ts'
import { openStoreReader } from '#store/open-store.ts'
import type { StoreReader } from '#store/reader.ts'
import { assert } from '#types/assert.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { ChainView, HeadMark } from './chain-view.ts'
import { createChainView } from './create-chain-view.ts'

/** Cloned to the thread, so the genesis file crosses as text. */
export interface ChainReaderConfig {
  readonly genesisText: string
  /** Directory of the database. */
  readonly path: string
  readonly historyBlocks: number
  /** The memory of the database's `WriteCount`; if undefined, each read of the state confirms it on disk. */
  readonly writes?: SharedArrayBuffer | undefined
  /** Given to threads whose requests may wait for the archive. */
  readonly archive?: ArchivePlace | undefined
}

/** A head with its sequence number: the chain may go back, announcements do not. */
export interface AnnouncedHead extends HeadMark {
  readonly sequence: number
  readonly timestamp: number
}

export interface ChainReader {
  readonly view: ChainView
  readonly store: StoreReader
  /** Accepts announcements that arrive repeatedly or on several paths; older ones are ignored. */
  announce(head: AnnouncedHead): void
  announced(): AnnouncedHead
  readonly height: () => number
  close(): Promise<void>
}

/** Call this after the writer thread has committed block 0. `head` is the head announced last. */
export async function openChainReader(config: ChainReaderConfig, head: AnnouncedHead): Promise<ChainReader> {
  const verdict = parseGenesis(config.genesisText)
  assert(verdict.ok, 'The genesis file was read before any thread was started.')
  const { genesis } = verdict
  const store = await openStoreReader(config)
  const keccak = loadFastKeccak()
  let last = head
  /** Whether the head comes from the store, ahead of the announcements. */
  let isAhead = false
  const useStoredHead = (sequence: number): void => {
    const { hash, header } = view.storedHead()
    last = { sequence, number: Number(header.number), hash, timestamp: Number(header.timestamp) }
  }
  const view = createChainView({
    store,
    genesis,
    keccak,
    announcedHead: () => last,
    onCatchUp: () => {
      isAhead = true
      useStoredHead(last.sequence)
    },
  })
  return {
    view,
    store,
    announce: (next) => {
      if (next.sequence <= last.sequence) return
      store.past.refresh()
      if (!isAhead) {
        last = next
        return
      }
      // The stored head may be newer than this announcement. Once they agree, announcements suffice again.
      useStoredHead(next.sequence)
      isAhead = last.hash !== next.hash
    },
    announced: () => last,
    height: () => last.number,
    close: () => store.close(),
  }
}
