/** The interfaces that consensus needs from the rest of the node. */
import type { WaitForMore } from '#chain/build/candidates.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { FutureLimits } from './bft/core/future-messages.ts'
import type { Report } from './bft/events.ts'
import type { MessageCodec, RoundId, SignDigest } from './bft/messages.ts'
import type { BftRules } from './bft/rules.ts'
import type { SignatureLog } from './signature-log.ts'

export interface BuildOrder extends RoundId {
  readonly parent: Hash
  readonly timestampSeconds: number
  /** The validators of the height. */
  readonly validators: readonly Address[]
}

export type BlockWorkVerdict = { readonly ok: true } | { readonly ok: false; readonly sentence: string }

/** The writer of the chain. A rejection becomes a `failed` event. */
export interface BlockWork {
  /** Returns the encoded block with its round in the extra data and no seals. */
  build(order: BuildOrder, signal: AbortSignal, waitForMore?: WaitForMore): Promise<Uint8Array>
  /** Checks everything except the seals, including execution; keeps the result for the import. */
  validate(block: Uint8Array, signal: AbortSignal): Promise<BlockWorkVerdict>
  /** Hashes the concatenated pieces, which are too long for the main thread. */
  keccak(pieces: readonly Uint8Array[]): Promise<Uint8Array>
  /** Imports a sealed block. Resolves when it is durable or refused. */
  importBlock(block: Uint8Array): Promise<BlockWorkVerdict>
}

/** The validators among the peers, by the address of their key. A node alone on its network has none. */
export interface BftNetwork {
  /** Sends to the connected ones. Never waits: a slow peer loses messages and does not delay others. */
  send(to: readonly Address[], code: number, data: Uint8Array): void
  connected(): readonly Address[]
  /** Peers that exchange blocks with this node, with or without a consensus protocol. */
  exchanging(): readonly Address[]
  /** Nodes turned away recently. */
  turnedAway(): readonly TurnedAway[]
}

/** A node of another network, and how it differs. */
export interface TurnedAway {
  readonly address: Address
  readonly why: 'network id' | 'genesis block' | 'forks'
}

export interface DriverParts {
  readonly clock: Clock
  readonly log: Log
  readonly keccak: Keccak
  /** The address of the node key. */
  readonly address: Address
  readonly signDigest: SignDigest
  readonly blocks: BlockWork
  readonly network: BftNetwork
  readonly signatureLog: SignatureLog
  /** A network may migrate from IBFT 2.0 to QBFT at a height. */
  readonly rulesAt: (height: number) => BftRules
  readonly codecAt: (height: number) => MessageCodec
  readonly limits: DriverLimits
  readonly signsWithoutLog: boolean
  /** A peer has at least the block of this height. */
  readonly onPeerAhead: (from: Address, height: number) => void
  readonly onReport: (report: Report) => void
}

export interface DriverLimits extends FutureLimits {
  /** Maximum remembered contents, which are not handled or relayed again. */
  readonly duplicateMessages: number
  readonly gossipedMessages: number
}
