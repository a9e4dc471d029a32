/**
 * What goes into the machine and what comes out of it. The machine has no clock, no socket and no disk: whoever
 * drives it (driver.ts in a node, test/simulation on virtual time) performs the actions and comes back with events.
 * Building, validating, signing, persisting and importing may answer later or never. An answer carries the id of its
 * request and its height and round; one that nobody waits for any more is ignored.
 */
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type {
  BftMessage,
  Draft,
  Payload,
  PreparedCertificate,
  ProposedBlock,
  RoundId,
  Signed,
} from './messages.ts'

/** Timers follow the monotonic clock, headers and the time of a block the wall clock. */
export interface Now {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** What holds while the block at `height` is being made. */
export interface HeightContext {
  /** Of the block to be made: that of the head, and one. */
  readonly height: number
  readonly parent: HeightParent
  /** In force for the height, ascending. */
  readonly validators: readonly Address[]
  /** From the time of the parent; or, where the network counts in milliseconds (tests), from now. */
  readonly period: { readonly seconds: number } | { readonly milliseconds: number }
  /** QBFT: how long a proposer holds back a block without transactions; 0: not at all. */
  readonly emptyBlockPeriodSeconds: number
  /** How long round 0 may take; each round twice as long as the one before, up to the ceiling. */
  readonly requestTimeoutMs: number
}

export interface HeightParent {
  readonly hash: Hash
  readonly timestampSeconds: number
  readonly coinbase: Address
}

/**
 * What a validator has signed, so far as it binds it: all of one height, and the votes of the highest round in it.
 * Durable before anything of it is signed. A certificate binds for the whole height.
 */
export interface VotesRecord extends RoundId {
  /** Digests of what was signed in `round`. */
  readonly proposal: Hash | undefined
  readonly prepare: Hash | undefined
  readonly commit: Hash | undefined
  /** Whether a change to `round` was signed. */
  readonly roundChange: boolean
  /** What this validator was prepared for last at this height. */
  readonly certificate: PreparedCertificate | undefined
  /** Above this height votes from before the last start may be missing; undefined: none is. */
  readonly knownTo: number | undefined
}

/**
 * What was found of votes at the start. `lost`: something was signed, and nobody knows what. `restored`: so it is, and the chain
 * itself may end before what was signed. undefined: no file.
 */
export type LoadedVotes = VotesRecord | 'lost' | 'restored' | undefined

export type TimerName = 'block' | 'round' | 'import'

/** Of a request and of its answer. */
export interface RequestKey extends RoundId {
  readonly id: number
}

export type Action =
  /** Answer: built. `timestampSeconds` is that of the header; the round stands in the extra data. */
  | (RequestKey & { readonly type: 'build'; readonly parent: Hash; readonly timestampSeconds: number })
  /** The block of round 0 will be asked for when its time has come: who knows it can begin before. There is no answer. */
  | {
      readonly type: 'buildSoon'
      readonly height: number
      readonly parent: Hash
      readonly timestampSeconds: number
      readonly inMs: number
      readonly periodMs: number
    }
  /** Header but for its seals, body and execution: a proposal, or what a round change claims. Answer: validated. */
  | (RequestKey & { readonly type: 'validate'; readonly block: ProposedBlock })
  /** Answer: persisted, when a power cut can no longer take the record away. */
  | (RequestKey & { readonly type: 'persist'; readonly record: VotesRecord })
  /** Answer: signed. */
  | (RequestKey & { readonly type: 'sign'; readonly draft: Draft })
  /** Answer: imported or importRefused. `seals` belong to the block in its round. */
  | (RequestKey & {
      readonly type: 'import'
      readonly block: ProposedBlock
      readonly seals: readonly Uint8Array[]
    })
  /** The work on a build or a validation is of no use any more. */
  | { readonly type: 'cancel'; readonly id: number }
  /** To the validators of the height; to one of them if named. The node itself has it already. */
  | { readonly type: 'send'; readonly message: BftMessage; readonly to: Address | undefined }
  /** The bytes as they came, to the validators but for the peer they came from and their author, once per content. */
  | {
      readonly type: 'gossip'
      readonly message: BftMessage
      readonly raw: Uint8Array
      readonly code: number
      readonly from: string
      readonly author: Address
    }
  /** Replaces a timer of that name. It fires once, as a timer event with this id. */
  | { readonly type: 'startTimer'; readonly timer: TimerName; readonly id: number; readonly delayMs: number }
  | { readonly type: 'cancelTimer'; readonly timer: TimerName }
  /** A peer spoke of a height above ours, so that it has at least the block before it. */
  | { readonly type: 'peerAhead'; readonly from: string; readonly height: number }
  | { readonly type: 'report'; readonly report: Report }

/** For logs, metrics and people; nothing depends on it. */
export type Report =
  | (RoundId & { readonly kind: 'roundStarted'; readonly why: RoundCause; readonly proposer: Address })
  | (RoundId & { readonly kind: 'proposalAccepted'; readonly block: Hash; readonly author: Address })
  | (RoundId & { readonly kind: 'prepared'; readonly digest: Hash })
  | (RoundId & { readonly kind: 'committed'; readonly block: Hash; readonly seals: number })
  /** A message that breaks a rule; a sentence says which. */
  | (RoundId & {
      readonly kind: 'refused'
      readonly author: Address
      readonly what: BftMessage['kind']
      readonly sentence: string
    })
  /** Two different votes of one validator in one round. */
  | (RoundId & { readonly kind: 'equivocation'; readonly author: Address; readonly what: BftMessage['kind'] })
  /** This node would have signed against what it signed before. */
  | (RoundId & { readonly kind: 'abstained'; readonly what: Draft['kind']; readonly sentence: string })
  | (RoundId & {
      readonly kind: 'failed'
      readonly what: 'build' | 'validate' | 'persist' | 'sign' | 'import'
      readonly sentence: string
    })
  /** Future messages that no longer fit. */
  | { readonly kind: 'dropped'; readonly messages: number }

/** `proposal`: one with a justification for a higher round. */
export type RoundCause =
  | 'blockTimer'
  | 'newHeight'
  | 'timeout'
  | 'quorum'
  | 'someAhead'
  | 'proposal'
  | 'restart'
  | 'importRefused'

export type Event = { readonly now: Now } & (
  | { readonly type: 'headMoved'; readonly context: HeightContext }
  /** `from` names the peer that sent it, whoever wrote it; `raw` and `code` are for gossip and limits. */
  | {
      readonly type: 'message'
      readonly message: BftMessage
      readonly raw: Uint8Array
      readonly code: number
      readonly from: string
    }
  | { readonly type: 'timer'; readonly timer: TimerName; readonly id: number }
  | (RequestKey & { readonly type: 'built'; readonly block: ProposedBlock; readonly transactions: number })
  | (RequestKey & { readonly type: 'validated'; readonly ok: true })
  | (RequestKey & { readonly type: 'validated'; readonly ok: false; readonly sentence: string })
  | (RequestKey & { readonly type: 'persisted' })
  | (RequestKey & { readonly type: 'signed'; readonly signed: Signed<Payload> })
  | (RequestKey & { readonly type: 'imported' })
  /** The block is not valid to the writer; it may say otherwise later, as with a clock that runs behind. */
  | (RequestKey & { readonly type: 'importRefused'; readonly sentence: string })
  /** The request has no answer and will have none: a deadline, a full disk, a key that cannot be reached. */
  | (RequestKey & { readonly type: 'failed'; readonly sentence: string })
  | { readonly type: 'peerReconnected'; readonly validator: Address }
)

/** How a message came. */
export interface Delivery {
  /** The peer that brought it, whoever wrote it. */
  readonly from: string
  /** Sends it on to the others. What no signature covers is passed on only when it was found true. */
  readonly passOn: () => void
}
