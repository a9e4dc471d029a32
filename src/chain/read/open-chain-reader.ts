/** The chain for a thread that reads: the store opened there, and the head that was announced to it. */
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { openStoreReader } from '#store/open-store.ts'
import { assert } from '#types/assert.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { ChainView, HeadMark } from './chain-view.ts'
import { createChainView } from './create-chain-view.ts'

/** Cloned to the thread, so that the genesis file crosses as its text. */
export interface ChainReaderConfig {
  readonly genesisText: string
  /** Directory of the database. */
  readonly path: string
  readonly historyBlocks: number
}

/** A head in the order in which heads were made: the chain may go back, announcements do not. */
export interface AnnouncedHead extends HeadMark {
  readonly sequence: number
}

export interface ChainReader {
  readonly view: ChainView
  /** Announcements may arrive twice and by several ways; one that is older than the last is passed over. */
  announce(head: AnnouncedHead): void
  announced(): AnnouncedHead
  close(): Promise<void>
}

/** After the writer thread has committed block 0. `head` is the one announced last. */
export async function openChainReader(config: ChainReaderConfig, head: AnnouncedHead): Promise<ChainReader> {
  const verdict = parseGenesis(config.genesisText)
  assert(verdict.ok, 'The genesis file was read before any thread was started.')
  const { genesis } = verdict
  const [store, keccak] = await Promise.all([openStoreReader(config), loadFastKeccak()])
  let last = head
  /** Whether the head is told from the store, ahead of the news. */
  let isAhead = false
  const tellStored = (sequence: number): void => {
    const { hash, header } = view.storedHead()
    last = { sequence, number: Number(header.number), hash }
  }
  const view = createChainView({
    store,
    genesis,
    keccak,
    announcedHead: () => last,
    onCatchUp: () => {
      isAhead = true
      tellStored(last.sequence)
    },
  })
  return {
    view,
    announce: (next) => {
      if (next.sequence <= last.sequence) return
      if (!isAhead) {
        last = next
        return
      }
      // What was told from the store may be newer than this piece of news; once they agree, news are enough again.
      tellStored(next.sequence)
      isAhead = last.hash !== next.hash
    },
    announced: () => last,
    close: () => store.close(),
  }
}
