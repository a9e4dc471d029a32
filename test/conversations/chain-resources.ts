import { createLiveAllowlist } from '#allowlist/contract.ts'
import type { Permissions } from '#allowlist/permissions.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createLiveConsensus } from '#consensus/contract.ts'
import { LocalVotes } from '#consensus/validators/local-votes.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { systemClock } from '#platform/clock.ts'
import { askDirectly } from '#platform/contract.ts'
import { createLog } from '#platform/log/log.ts'
import { createSeededRandom } from '#platform/random.ts'
import { createLivePool } from '#pool/contract.ts'
import { Intake } from '#pool/intake.ts'
import type { PoolSettings } from '#pool/pool-settings.ts'
import type { SubmissionRules } from '#pool/prepare-submission.ts'
import { CONTRACTS, type LiveOwners } from '#rpc/contracts.ts'
import { FilterCursors } from '#rpc/filters/filter-cursors.ts'
import { createLiveFilters } from '#rpc/filters/filters-contract.ts'
import type { HandedResources, RequestLimits } from '#rpc/resources.ts'
import { SubscriptionSlots, shareSubscriptions } from '#rpc/subscriptions/subscription-slots.ts'
import { Subscriptions } from '#rpc/subscriptions/subscriptions.ts'
import type { Address } from '#types/address.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { localStatus } from './local-consensus.ts'
import { openLocalPool } from './local-pool.ts'

/** A chain in this process, and what executes on it. */
export interface LocalChain {
  readonly chain: Chain
  readonly genesis: Genesis
  readonly engine: Engine
}

export interface LocalSettings {
  /** undefined: no blocks are made. */
  readonly coinbase: Address | undefined
  readonly limits: RequestLimits
  readonly maxFilters: number
  readonly pool: PoolSettings
  readonly submissions: SubmissionRules
  readonly maxSubscriptions: number
}

const crypto = await loadCrypto()
const { keccak } = crypto
const FILTER_TIMEOUT_MS = 120_000

/** The resources of a node whose threads are all this one: the owners are a node's. Ids of filters are the same in every run. */
export function openChainResources(
  { chain, genesis, engine }: LocalChain,
  { coinbase, limits, maxFilters, maxSubscriptions, pool: poolSettings, submissions }: LocalSettings,
  permissions: Permissions,
  others: Omit<LiveOwners, 'writer' | 'filters' | 'consensus' | 'pool' | 'allowlist'>,
): HandedResources {
  const view = createChainView({ store: chain.store, genesis, keccak })
  const head = (): HeadMark => {
    const { hash, header } = view.head()
    return { number: Number(header.number), hash }
  }
  const mayTransact = ({ sender }: { readonly sender: Address }) => permissions.mayTransact(sender)
  const pool = openLocalPool(chain, view, poolSettings, mayTransact)
  const limitsOfFilters = { maxActive: maxFilters, timeoutMs: FILTER_TIMEOUT_MS }
  const cursors = new FilterCursors(limitsOfFilters, systemClock, createSeededRandom(1))
  const owners: LiveOwners = {
    ...others,
    writer: {
      setHead: async (hash) => {
        const verdict = await chain.setHead(hash, { validation: 'light' })
        return verdict.ok ? { ok: true } : { ok: false, sentence: verdict.sentence }
      },
      badBlocks: () => chain.badBlocks.all(),
    },
    filters: createLiveFilters(cursors, () => ({ head: head(), additions: pool.additionCount() })),
    consensus: createLiveConsensus(new LocalVotes(), {
      status: () => localStatus(chain, genesis),
      coinbase: () => coinbase,
    }),
    pool: createLivePool(() => pool),
    allowlist: createLiveAllowlist(permissions),
  }
  const live = askDirectly(CONTRACTS, owners)
  const heads = {
    onMoved: (listener: (head: HeadMark) => void) => chain.headMoved.subscribe(() => listener(head())),
  }
  const intake = new Intake({
    chain: view,
    crypto,
    rules: submissions,
    admit: (transactions) => live.pool.admit(transactions, 'local'),
  })
  const subscriptions = new Subscriptions({
    chain: view,
    heads,
    pool: live.pool,
    slots: new SubscriptionSlots(maxSubscriptions, shareSubscriptions(1), 0),
    metrics: { onOpened: () => undefined, onEnded: () => undefined },
    clock: systemClock,
    log: createLog({ level: 'ERROR' }),
  })
  return { ...live, chain: view, engine, limits, heads, intake, subscriptions }
}
