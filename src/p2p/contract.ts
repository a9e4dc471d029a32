import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { MaintainedPeers, PeerListChange } from './maintained-peers.ts'
import type { FailedDial } from './peers/dial-plan.ts'
import type { PeerReport } from './peers/peer-network.ts'
import type { PEERS_CONTRACTS, SelfReport } from './threads/peers-protocol.ts'

export const PEERS = {
  /** Whether the node accepts connections from peers. */
  isListening: question<[], boolean>(),
  /** Of this and all that follow, undefined: there is no peer-to-peer network, because an option says so. */
  count: question<[], number | undefined>(),
  /** Null: no port is open. */
  self: question<[], SelfReport | null | undefined>(),
  failedDials: question<[], readonly FailedDial[] | undefined>(),
  all: question<[], readonly PeerReport[] | undefined>(),
  /** By its enode URL; dialled until it is there. */
  add: changing<[url: string], PeerListChange | undefined>('peers'),
  /** Disconnected, and no longer dialled. */
  remove: changing<[url: string], PeerListChange | undefined>('peers'),
  /** Enode URLs of those that are dialled until they are there. */
  maintained: question<[], readonly string[]>(),
}

export type LivePeers = OwnerOf<typeof PEERS>

export interface LivePeersParts {
  readonly isEnabled: boolean
  /** undefined: no port is open. */
  readonly network: () =>
    | OwnerOf<Pick<(typeof PEERS_CONTRACTS)['peers'], 'count' | 'all' | 'self' | 'failedDials'>>
    | undefined
  readonly maintained: Pick<MaintainedPeers, 'add' | 'remove' | 'urls'>
}

export function createLivePeers({ isEnabled, network, maintained }: LivePeersParts): LivePeers {
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
