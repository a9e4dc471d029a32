import type { Chain } from '#chain/create-chain.ts'
import { createChainView } from '#chain/create-chain-view.ts'
import { LocalVotes } from '#consensus/validators/local-votes.ts'
import type { Engine } from '#evm/engine.ts'
import { systemClock } from '#platform/clock.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { createSeededRandom } from '#platform/random.ts'
import { FilterCursors } from '#rpc/filter-cursors.ts'
import type { HandedPorts, RequestLimits } from '#rpc/ports.ts'
import type { Genesis } from '#types/genesis.ts'
import { localStatus } from './local-consensus.ts'

/** A chain in this process, and what executes on it. */
export interface LocalChain {
  readonly chain: Chain
  readonly genesis: Genesis
  readonly engine: Engine
}

export interface LocalSettings {
  readonly limits: RequestLimits
  readonly maxFilters: number
}

const keccak = await loadFastKeccak()
const FILTER_TIMEOUT_MS = 120_000

/** The ports of a node whose threads are all this one. Ids of filters are the same in every run. */
export function openChainPorts(local: LocalChain, { limits, maxFilters }: LocalSettings) {
  const { chain, genesis, engine } = local
  const view = createChainView({ store: chain.store, genesis, keccak })
  const head = () => {
    const { hash, header } = view.head()
    return { number: Number(header.number), hash }
  }
  const limitsOfFilters = { maxActive: maxFilters, timeoutMs: FILTER_TIMEOUT_MS }
  const cursors = new FilterCursors(limitsOfFilters, systemClock, createSeededRandom(1))
  const votes = new LocalVotes()
  return {
    chain: view,
    engine,
    limits,
    writer: {
      setHead: async (hash) => {
        const verdict = await chain.setHead(hash, { validation: 'light' })
        return verdict.ok ? { ok: true } : { ok: false, sentence: verdict.sentence }
      },
      badBlocks: async () => chain.badBlocks.all(),
    },
    filters: {
      create: async (definition) => cursors.create(definition, head()),
      get: async (id) => cursors.get(id),
      poll: async (id) => cursors.poll(id, head()),
      remove: async (id) => cursors.remove(id),
    },
    consensus: {
      pendingVotes: async () => votes.all(),
      proposeVote: async (recipient, type) => votes.propose(recipient, type),
      discardVote: async (recipient) => votes.discard(recipient),
      status: () => localStatus(chain, genesis),
    },
  } satisfies HandedPorts
}
