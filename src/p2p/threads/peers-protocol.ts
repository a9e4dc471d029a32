/** What is said between main and the thread of peers. */
import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { IpRange } from '#p2p/ip-range.ts'
import type { PeerAction } from '#p2p/may-connect.ts'
import type { FailedDial } from '#p2p/peers/dial-plan.ts'
import type { PeerReport } from '#p2p/peers/peer-network.ts'
import type { MessageLimit, PeerIdentity } from '#p2p/peers/protocol.ts'
import type { CodeSpace } from '#p2p/rlpx/multiplexer.ts'
import type { PeersConfig } from '#p2p/start-peers.ts'
import type { LinePort } from '#platform/channel/port-pair.ts'
import {
  type ClientOf,
  type ContractRequests,
  type ContractStreams,
  type Contracts,
  operation,
} from '#platform/contract.ts'
import type { Enode } from '#types/enode.ts'

/** Cloned to the thread. */
export interface PeersThreadConfig {
  readonly peers: PeersConfig
  /**
   * Of this node. It is in the memory of the process in any case; asked for over the channel, every stranger who connects
   * would make main compute. Null: it is not in this process, and main passes on what is asked of it.
   */
  readonly privateKey: Uint8Array | null
  /** Exports `loadCrypto`: the fast forms belong to a room that this one does not know. */
  readonly cryptoModule: string
  readonly modules: readonly LoadedModule[]
  readonly carried: readonly CarriedProtocol[]
  /** Whether main has somebody to ask, beside what follows. */
  readonly asksWhoMayConnect: boolean
  /** Nodes that may connect; undefined: all of them. */
  readonly permitted: readonly Enode[] | undefined
  readonly bannedIds: readonly string[]
  readonly ranges: readonly IpRange[]
  readonly filtersForks: boolean
}

export interface LoadedModule {
  readonly module: string
  readonly config: unknown
  readonly line: LinePort
}

/** A protocol whose handlers run on main, as the thread knows it. */
export interface CarriedProtocol extends CodeSpace {
  /** By code. */
  readonly limits: readonly (MessageLimit | undefined)[]
}

/** What this node is to others. */
export interface SelfReport {
  readonly enode: Enode
  /** `enr:…` */
  readonly record: string
  /** The address on which it listens. */
  readonly host: string
}

/** What the thread answers. */
export const PEERS_CONTRACTS = {
  peers: {
    self: operation<[], SelfReport>(),
    count: operation<[], number>(),
    all: operation<[], readonly PeerReport[]>(),
    failedDials: operation<[], readonly FailedDial[]>(),
    /** Dialled until it is there. */
    maintain: operation<[enode: Enode], boolean>(),
    remove: operation<[id: string], boolean>(),
    /** Who may connect from now on; whoever may not is disconnected when it resolves. */
    permitOnly: operation<[nodes: readonly Enode[]], void>(),
  },
  /** Of protocols on main, by the numbers that the thread gave their links. */
  links: {
    /** One message to several peers. A peer that does not take it is disconnected. */
    send: operation<[links: readonly number[], code: number, data: Uint8Array], void>(),
    disconnect: operation<[link: number, reason: DisconnectReason, sentence: string], void>(),
  },
} satisfies Contracts

/** What main answers. */
export const CARRIER_CONTRACTS = {
  protocols: {
    /** `protocol` is its place among those that main named. */
    opened: operation<[protocol: number, link: number, peer: PeerIdentity], void>(),
    message: operation<[link: number, code: number, data: Uint8Array], void>(),
    closed: operation<[link: number, reason: DisconnectReason], void>(),
  },
  key: {
    publicKey: operation<[], Uint8Array>(),
    sign: operation<[digest: Uint8Array], Uint8Array>(),
    ecdh: operation<[publicKey: Uint8Array], Uint8Array>(),
  },
  permissions: {
    mayConnect: operation<[action: PeerAction, peer: Enode], boolean>(),
  },
} satisfies Contracts

export type PeersClient = ClientOf<(typeof PEERS_CONTRACTS)['peers']>
export type LinksClient = ClientOf<(typeof PEERS_CONTRACTS)['links']>
export type ProtocolsClient = ClientOf<(typeof CARRIER_CONTRACTS)['protocols']>

/** Of either side: rows of its tables. */
export type TableOffers = { readonly requests: ContractRequests; readonly streams: ContractStreams }
