import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { MaintainedPeers, PeerListChange } from './maintained-peers.ts'
import type { FailedDial } from './peers/dial-plan.ts'
import type { PeerReport } from './peers/peer-network.ts'
import type { PEERS_CONTRACTS, SelfReport } from './threads/peers-protocol.ts'

export const PEERS = {
  /** Whether the node accepts connections from peers. */
  isListening: question<[], boolean>(),
  /** This operation and those below, except `maintained`, return undefined if peers are disabled by an option. */
  count: question<[], number | undefined>(),
  /** Null while the peers thread is not running. */
  self: question<[], SelfReport | null | undefined>(),
  failedDials: question<[], readonly FailedDial[] | undefined>(),
  all: question<[], readonly PeerReport[] | undefined>(),
  /** Adds a peer by enode URL, which is dialled until it is connected. */
  add: changing<[url: string], PeerListChange | undefined>('peers'),
  /** Disconnects the peer and stops dialling it. */
  remove: changing<[url: string], PeerListChange | undefined>('peers'),
  /** Enode URLs of the maintained peers. */
  maintained: question<[], readonly string[]>(),
}

export type LivePeers = OwnerOf<typeof PEERS>

export interface LivePeersParts {
  readonly isEnabled: boolean
  /** Undefined while the peers thread is not running. */
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
