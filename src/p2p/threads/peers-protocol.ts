/** The contracts between main and the peers thread. */
import type { ValuesOf } from '#config/option.ts'
import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { IpRange } from '#p2p/ip-bytes.ts'
import type { peerOptions } from '#p2p/options.ts'
import type { PeerAction } from '#p2p/peer-rules.ts'
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
import type { Address } from '#types/address.ts'
import type { Enode } from '#types/enode.ts'

export interface PeersThreadConfig {
  readonly peers: PeersConfig
  /**
   * The node's private key, or null if it is not in this process and main forwards requests. The key is in the memory of the
   * process anyway; over the channel, every incoming connection would make main compute.
   */
  readonly privateKey: Uint8Array | null
  readonly modules: readonly LoadedModule[]
  readonly carried: readonly CarriedProtocol[]
  /** Whether main has a plugin to ask. */
  readonly asksWhoMayConnect: boolean
  /** If undefined, every node may connect. */
  readonly permitted: readonly Enode[] | undefined
  readonly bannedIds: readonly string[]
  readonly ranges: readonly IpRange[]
  /** All peer options, so a new one is available without changes here. */
  readonly options: ValuesOf<typeof peerOptions>
}

export interface LoadedModule {
  readonly module: string
  readonly config: unknown
  readonly line: LinePort
}

/** A protocol whose handlers run on main, as the thread knows it. */
export interface CarriedProtocol extends CodeSpace {
  /** Limits by code. */
  readonly limits: readonly (MessageLimit | undefined)[]
}

/** How other nodes reach this one. */
export interface SelfReport {
  readonly enode: Enode
  /** Formatted as `enr:…`. */
  readonly record: string
  /** The address on which the node listens. */
  readonly host: string
}

/** Offered by the thread. */
export const PEERS_CONTRACTS = {
  peers: {
    self: operation<[], SelfReport>(),
    count: operation<[], number>(),
    all: operation<[], readonly PeerReport[]>(),
    failedDials: operation<[], readonly FailedDial[]>(),
    /** Dials the node until it is connected. */
    maintain: operation<[enode: Enode], boolean>(),
    remove: operation<[id: string], boolean>(),
    /** Replaces the permitted nodes. Resolves when all others are disconnected. */
    permitOnly: operation<[nodes: readonly Enode[]], void>(),
    /** Nodes of these addresses connect beyond the limits; they replace the earlier ones. */
    expect: operation<[addresses: readonly Address[]], void>(),
  },
  /** Operations for protocols on main, by link number. */
  links: {
    /** Sends one message to several peers. A peer that does not accept it is disconnected. */
    send: operation<[links: readonly number[], code: number, data: Uint8Array], void>(),
    holdBack: operation<[link: number, ms: number], void>(),
    disconnect: operation<[link: number, reason: DisconnectReason, sentence: string], void>(),
  },
} satisfies Contracts

/** Offered by main. */
export const CARRIER_CONTRACTS = {
  protocols: {
    /** `protocol` is the index in main's list. */
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

export type LinksClient = ClientOf<(typeof PEERS_CONTRACTS)['links']>
export type ProtocolsClient = ClientOf<(typeof CARRIER_CONTRACTS)['protocols']>

/** The rows of either side's contracts. */
export type TableOffers = { readonly requests: ContractRequests; readonly streams: ContractStreams }
