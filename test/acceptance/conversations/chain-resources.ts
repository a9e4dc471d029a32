import assert from 'node:assert/strict'
import { createLiveAllowlist } from '#allowlist/contract.ts'
import type { Permissions } from '#allowlist/permissions.ts'
import { CONTRACTS, type LiveOwners } from '#api/contracts.ts'
import { FilterCursors } from '#api/filters/filter-cursors.ts'
import type { LimitValues } from '#api/options.ts'
import type { ThreadResources } from '#api/resources.ts'
import { createEthSubscriptions } from '#api/subscriptions/subscription-sources.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createLiveConsensus } from '#consensus/contract.ts'
import { DEV } from '#consensus/dev/contract.ts'
import { LocalVotes } from '#consensus/validators/local-votes.ts'
import { FORKCHOICE } from '#engine-api/contract.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { SubscriptionSlots, shareSubscriptions } from '#jsonrpc/subscriptions/subscription-slots.ts'
import { systemClock } from '#platform/clock.ts'
import { askDirectly } from '#platform/contract.fixture.ts'
import { ownerWhen } from '#platform/contract.ts'
import { createLog } from '#platform/log/log.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createLivePool } from '#pool/contract.ts'
import { Intake } from '#pool/intake.ts'
import type { SubmissionRules } from '#pool/prepare-submission.ts'
import type { PoolSettings } from '#pool/read-settings.ts'
import { SharedProgress } from '#sync/sync-progress.ts'
import type { Address } from '#types/address.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { localStatus } from './local-consensus.ts'
import { openLocalPool } from './local-pool.ts'

/** A chain in this process and the objects that execute on it. */
export interface LocalChain {
  readonly chain: Chain
  readonly genesis: Genesis
  readonly engine: Engine
}

export interface LocalSettings {
  /** If undefined, the node does not produce blocks. */
  readonly coinbase: Address | undefined
  readonly limits: LimitValues
  readonly pool: PoolSettings
  readonly submissions: SubmissionRules
  readonly maxSubscriptions: number
}

const crypto = await loadCrypto()
const { keccak } = crypto

/**
 * The resources of a node that runs entirely on this thread, with the node's real owner classes. Filter ids are the
 * same in every run.
 */
export function openChainResources(
  { chain, genesis, engine }: LocalChain,
  { coinbase, limits, maxSubscriptions, pool: poolSettings, submissions }: LocalSettings,
  permissions: Permissions,
  others: Omit<LiveOwners, 'writer' | 'filters' | 'consensus' | 'dev' | 'forkchoice' | 'pool' | 'allowlist'>,
): ThreadResources {
  const view = createChainView({ store: chain.store, genesis, keccak })
  const head = (): HeadMark => {
    const { hash, header } = view.head()
    return { number: Number(header.number), hash }
  }
  const mayTransact = ({ sender }: { readonly sender: Address }) => permissions.mayTransact(sender)
  const pool = openLocalPool(chain, view, poolSettings, mayTransact)
  const { maxActiveFilters: maxActive, filterTimeoutSeconds } = limits
  const limitsOfFilters = { maxActive, timeoutMs: filterTimeoutSeconds * 1_000 }
  const filters = new FilterCursors(limitsOfFilters, {
    clock: systemClock,
    random: createSeededRandom(1),
    now: () => ({ head: head(), additions: pool.additionCount() }),
  })
  const owners: LiveOwners = {
    ...others,
    writer: {
      setHead: async (hash) => {
        const verdict = await chain.setHead(hash, { validation: 'light' })
        return verdict.ok ? { ok: true } : { ok: false, sentence: verdict.sentence }
      },
      badBlocks: () => chain.badBlocks.all(),
    },
    filters,
    consensus: createLiveConsensus(new LocalVotes(), {
      status: () => localStatus(chain, genesis),
      coinbase: () => coinbase,
    }),
    forkchoice: ownerWhen(FORKCHOICE, () => assert.fail('This node has no consensus client.')),
    dev: ownerWhen(DEV, () => assert.fail('This is not the development network.')),
    pool: createLivePool(pool),
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
  const subscriptions = createEthSubscriptions({
    chain: view,
    heads,
    pool: live.pool,
    slots: new SubscriptionSlots({ max: maxSubscriptions, shared: shareSubscriptions(1), server: 0 }),
    metrics: { onOpened: () => undefined, onEnded: () => undefined },
    clock: systemClock,
    log: createLog({ level: 'ERROR' }),
  })
  return { ...live, chain: view, sync: new SharedProgress(), engine, limits, heads, intake, subscriptions }
}
