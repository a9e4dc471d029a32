/** Who answers what methods ask of main: one object for each port of `rpc/live-ports.ts`. */

import type { Permissions } from '#allowlist/permissions.ts'
import type { LiveBuilding } from '#chain/build/building-settings.ts'
import { firstSlice } from '#chain/build/candidates.ts'
import type { HeadMark } from '#chain/read/chain-view.ts'
import type { BftStatus } from '#consensus/status.ts'
import type { LocalVotes } from '#consensus/validators/local-votes.ts'
import type { MaintainedPeers } from '#p2p/maintained-peers.ts'
import type { PEERS_PORTS } from '#p2p/threads/peers-protocol.ts'
import type { LogLevel } from '#platform/log/log-level.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { OwnerOf } from '#platform/port-table.ts'
import { AdmissionTurns } from '#pool/admission-turns.ts'
import type { PoolAddition, PoolDrop } from '#pool/submitted-transaction.ts'
import type { TransactionPool } from '#pool/transaction-pool.ts'
import type { FilterCursors } from '#rpc/filters/filter-cursors.ts'
import type { LevelVerdict, LiveOwners, PendingTransaction, Services } from '#rpc/live-ports.ts'
import type { Address } from '#types/address.ts'

/** What the owners are made of: of a node, or of a test whose threads are all one. */
export interface OwnerParts {
  readonly services: Services
  readonly peers: OwnedPeers
  readonly sync: LiveOwners['sync']
  readonly metrics: Pick<Metrics, 'merged'>
  /** On every thread. */
  setLevel(level: LogLevel, names: readonly string[] | undefined): Promise<LevelVerdict>
  /** Of this thread, which is told like the others. */
  levels(): Readonly<Record<string, LogLevel>>
  readonly audit: LiveOwners['audit']
  readonly permissions: Permissions
  readonly chain: OwnedChain
  readonly building: LiveBuilding
  readonly plugins: LiveOwners['plugins']
}

export interface OwnedChain {
  /** The one that was announced last. */
  head(): HeadMark
  readonly writer: LiveOwners['writer']
  readonly filters: FilterCursors
  readonly consensus: OwnedConsensus
  /** When it is asked for: it is started after its owners are made. */
  readonly pool: () => TransactionPool
  /** Resolves when what was admitted is kept over a restart; undefined: that is not asked for. */
  readonly kept?: (() => Promise<void>) | undefined
}

export interface OwnedConsensus {
  readonly votes: LocalVotes
  status(): BftStatus | undefined | Promise<BftStatus | undefined>
  coinbase(): Address | undefined
}

export interface OwnedPeers {
  readonly isEnabled: boolean
  /** undefined: no port is open. */
  readonly network: () =>
    | OwnerOf<Pick<(typeof PEERS_PORTS)['peers'], 'count' | 'all' | 'self' | 'failedDials'>>
    | undefined
  readonly maintained: Pick<MaintainedPeers, 'add' | 'remove' | 'urls'>
}

export function createLiveOwners(parts: OwnerParts): LiveOwners {
  const { head, writer, filters, consensus, pool, kept } = parts.chain
  const admissions = new AdmissionTurns(pool)
  const progressNow = () => ({ head: head(), additions: pool().additionCount() })
  return {
    services: { all: () => parts.services },
    peers: ownPeers(parts.peers),
    sync: parts.sync,
    metrics: { snapshot: () => parts.metrics.merged() },
    log: { setLevel: (level, names) => parts.setLevel(level, names), levels: () => parts.levels() },
    audit: parts.audit,
    writer,
    filters: {
      create: (definition, owner) => filters.create(definition, progressNow(), owner),
      get: (id) => filters.get(id),
      poll: (id) => filters.poll(id, progressNow()),
      remove: (id) => filters.remove(id),
    },
    building: {
      settings: () => parts.building.settings(),
      change: (changes) => parts.building.change(changes),
    },
    allowlist: ownAllowlist(parts.permissions),
    plugins: parts.plugins,
    consensus: {
      pendingVotes: () => consensus.votes.all(),
      proposeVote: (recipient, type) => consensus.votes.propose(recipient, type),
      discardVote: (recipient) => consensus.votes.discard(recipient),
      status: () => consensus.status(),
      coinbase: () => consensus.coinbase(),
    },
    pool: {
      admit: (transactions, origin) => {
        const verdicts = admissions.admit(transactions, origin)
        return kept === undefined ? verdicts : afterKept(verdicts, kept)
      },
      get: (hash) => pool().get(hash),
      nextNonce: (address) => pool().nextNonce(address),
      status: () => pool().status(),
      candidates: (terms) => firstSlice(pool(), terms),
      added: { subscribe: (listener) => pool().added.subscribe((news) => listener(news.map(pendingOf))) },
      dropped: { subscribe: (listener) => pool().dropped.subscribe((news) => listener(news.map(pendingOf))) },
      list: (fromArrival) => pool().list(fromArrival),
      listOf: (sender, fromNonce) => pool().listOf(sender, fromNonce),
      additions: (from, to) => pool().additions(from, to),
      explain: (hash) => pool().explain(hash),
    },
  }
}

async function afterKept<Verdicts>(
  verdicts: Verdicts,
  kept: () => Promise<void>,
): Promise<Awaited<Verdicts>> {
  const settled = await verdicts
  await kept()
  return settled
}

function ownAllowlist(permissions: Permissions): LiveOwners['allowlist'] {
  const change =
    (kind: 'add' | 'remove'): LiveOwners['allowlist']['add'] =>
    (name, entries, origin) => {
      const list = permissions.list(name)
      return list && permissions[kind](list, entries, origin)
    }
  return {
    isInForce: (name) => permissions.list(name) !== undefined,
    entries: (name) => permissions.list(name)?.all().join('\n'),
    add: change('add'),
    remove: change('remove'),
    reload: (origin) => (permissions.isEnabled ? permissions.reload(origin) : undefined),
  }
}

function pendingOf({ transaction: { hash, encoded, sender } }: PoolAddition | PoolDrop): PendingTransaction {
  return { hash, encoded, sender }
}

function ownPeers({ isEnabled, network, maintained }: OwnedPeers): LiveOwners['peers'] {
  const ifEnabled = <Value>(value: () => Value) => (isEnabled ? value() : undefined)
  return {
    isListening: () => network() !== undefined,
    count: () => ifEnabled(() => network()?.count() ?? 0),
    self: () => ifEnabled(() => network()?.self() ?? null),
    failedDials: () => ifEnabled(() => network()?.failedDials() ?? []),
    all: () => ifEnabled(() => network()?.all() ?? []),
    add: (url) => ifEnabled(() => maintained.add(url)),
    remove: (url) => ifEnabled(() => maintained.remove(url)),
    maintained: () => maintained.urls(),
  }
}
