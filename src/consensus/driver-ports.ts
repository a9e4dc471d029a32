/** What consensus needs of the rest of the node. */
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { FutureLimits } from './bft/core/future-messages.ts'
import type { Report } from './bft/events.ts'
import type { MessageCodec, RoundId, SignDigest } from './bft/messages.ts'
import type { BftRules } from './bft/rules.ts'
import type { VotesFile } from './votes-file.ts'

export interface BuildOrder extends RoundId {
  readonly parent: Hash
  readonly timestampSeconds: number
  /** In force for the height. */
  readonly validators: readonly Address[]
}

export type BlockWorkVerdict = { readonly ok: true } | { readonly ok: false; readonly sentence: string }

/** The one writer of the chain. Each may reject, and then the machine hears that it failed. */
export interface BlockWork {
  /** The encoded block, its round in the extra data and no seals. */
  build(order: BuildOrder, signal: AbortSignal): Promise<Uint8Array>
  /** All but the seals, execution included; the result is kept for the import. */
  validate(block: Uint8Array, signal: AbortSignal): Promise<BlockWorkVerdict>
  /** Of the pieces one after the other; for what is too long to be hashed on the main thread. */
  keccak(pieces: readonly Uint8Array[]): Promise<Uint8Array>
  /** With seals. Resolves when the block is durable, or refused. */
  importBlock(block: Uint8Array): Promise<BlockWorkVerdict>
}

/** The validators among the peers, each known by the address of its key. Alone on its network a node has none. */
export interface BftNetwork {
  /** To those of them that are connected. Never waits: a slow peer loses messages, not time of others. */
  send(to: readonly Address[], code: number, data: Uint8Array): void
  connected(): readonly Address[]
  /** Peers that exchange blocks with this node, whether or not they speak a protocol of validators. */
  exchanging(): readonly Address[]
  /** Lately. */
  turnedAway(): readonly TurnedAway[]
}

/** A node that is not of this network, and by what that was seen. */
export interface TurnedAway {
  readonly address: Address
  readonly why: 'network id' | 'genesis block' | 'forks'
}

export interface DriverParts {
  readonly clock: Clock
  readonly log: Log
  readonly keccak: Keccak
  /** Of the key of this node. */
  readonly address: Address
  readonly signDigest: SignDigest
  readonly blocks: BlockWork
  readonly network: BftNetwork
  readonly votes: VotesFile
  /** A network may go from IBFT 2.0 to QBFT at a height. */
  readonly rulesAt: (height: number) => BftRules
  readonly codecAt: (height: number) => MessageCodec
  readonly limits: DriverLimits
  readonly signsWithoutVotes: boolean
  /** A peer has at least the block of this height. */
  readonly onPeerAhead: (from: Address, height: number) => void
  readonly onReport: (report: Report) => void
}

export interface DriverLimits extends FutureLimits {
  /** Contents that are remembered so that they are not handled, and not sent on, again. */
  readonly duplicateMessages: number
  readonly gossipedMessages: number
}
