/**
 * The input and output of the machine, which has no clock, socket or disk: a driver (driver.ts in a node, test/simulation on
 * virtual time) performs the actions and returns events. Building, validating, signing, persisting and importing may answer
 * later or never. An answer has the id, height and round of its request; unexpected ones are ignored.
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

/** Timers use the monotonic clock; headers and block times use the wall clock. */
export interface Now {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** The context in which the block at `height` is made. */
export interface HeightContext {
  /** The number of the block to make: that of the head plus one. */
  readonly height: number
  readonly parent: HeightParent
  /** The validators of this height, ascending. */
  readonly validators: readonly Address[]
  /** Counts from the parent's timestamp in seconds, or from now in milliseconds (for tests). */
  readonly period: { readonly seconds: number } | { readonly milliseconds: number }
  /** QBFT: how long a proposer delays an empty block; 0 for no delay. */
  readonly emptyBlockPeriodSeconds: number
  /** The timeout of round 0; doubled in each later round, up to the ceiling. */
  readonly requestTimeoutMs: number
}

export interface HeightParent {
  readonly hash: Hash
  readonly timestampSeconds: number
  readonly coinbase: Address
}

/**
 * The signatures that bind a validator: those of one height and its highest round. Durable before any of them is made. A
 * certificate binds for the complete height.
 */
export interface SignatureEntry extends RoundId {
  /** Digests signed in `round`. */
  readonly proposal: Hash | undefined
  readonly prepare: Hash | undefined
  readonly commit: Hash | undefined
  /** Whether a change to `round` was signed. */
  readonly roundChange: boolean
  /** The last prepared certificate at this height. */
  readonly certificate: PreparedCertificate | undefined
  /** Above this height, signatures from before the last start may be missing; undefined if none is. */
  readonly knownTo: number | undefined
}

/**
 * The signature log found at start. `lost`: unknown messages were signed. `restored`: the same, and the chain itself may end
 * before them. Undefined if there is no file.
 */
export type LoadedLog = SignatureEntry | 'lost' | 'restored' | undefined

export type TimerName = 'block' | 'round' | 'import'

/** Identifies a request and its answer. */
export interface RequestKey extends RoundId {
  readonly id: number
}

export type Action =
  /** Answered by `built`. `timestampSeconds` is for the header; the round goes into the extra data. */
  | (RequestKey & { readonly type: 'build'; readonly parent: Hash; readonly timestampSeconds: number })
  /** Announces the build of round 0, so it can begin early. There is no answer. */
  | {
      readonly type: 'buildSoon'
      readonly height: number
      readonly parent: Hash
      readonly timestampSeconds: number
      readonly inMs: number
      readonly periodMs: number
    }
  /** Validates header without seals, body and execution of a proposal or of a claimed block. Answered by `validated`. */
  | (RequestKey & { readonly type: 'validate'; readonly block: ProposedBlock })
  /** Answered by `persisted` once the entry survives a power cut. */
  | (RequestKey & { readonly type: 'persist'; readonly entry: SignatureEntry })
  /** Answered by `signed`. */
  | (RequestKey & { readonly type: 'sign'; readonly draft: Draft })
  /** Answered by `imported` or `importRefused`. `seals` belong to the block in its round. */
  | (RequestKey & {
      readonly type: 'import'
      readonly block: ProposedBlock
      readonly seals: readonly Uint8Array[]
    })
  /** A build or validation is no longer needed. */
  | { readonly type: 'cancel'; readonly id: number }
  /** Sends to all validators of the height, or to one of them. The node itself already has the message. */
  | { readonly type: 'send'; readonly message: BftMessage; readonly to: Address | undefined }
  /** Relays the bytes as received to all validators except the sender and the author, once per content. */
  | {
      readonly type: 'gossip'
      readonly message: BftMessage
      readonly raw: Uint8Array
      readonly code: number
      readonly from: string
      readonly author: Address
    }
  /** Replaces a timer of the same name. It fires once, as a timer event with this id. */
  | { readonly type: 'startTimer'; readonly timer: TimerName; readonly id: number; readonly delayMs: number }
  | { readonly type: 'cancelTimer'; readonly timer: TimerName }
  /** A peer mentioned a higher height, so it has at least the block before it. */
  | { readonly type: 'peerAhead'; readonly from: string; readonly height: number }
  | { readonly type: 'report'; readonly report: Report }

/** For logs, metrics and the status; no decision depends on it. */
export type Report =
  | (RoundId & { readonly kind: 'roundStarted'; readonly why: RoundCause; readonly proposer: Address })
  | (RoundId & { readonly kind: 'proposalAccepted'; readonly block: Hash; readonly author: Address })
  | (RoundId & { readonly kind: 'prepared'; readonly digest: Hash })
  | (RoundId & { readonly kind: 'committed'; readonly block: Hash; readonly seals: number })
  /** A message that breaks a rule; the sentence says which. */
  | (RoundId & {
      readonly kind: 'refused'
      readonly author: Address
      readonly what: BftMessage['kind']
      readonly sentence: string
    })
  /** Two different messages of one validator in one round. */
  | (RoundId & { readonly kind: 'equivocation'; readonly author: Address; readonly what: BftMessage['kind'] })
  /** This node would have contradicted an earlier signature. */
  | (RoundId & { readonly kind: 'abstained'; readonly what: Draft['kind']; readonly sentence: string })
  | (RoundId & {
      readonly kind: 'failed'
      readonly what: 'build' | 'validate' | 'persist' | 'sign' | 'import'
      readonly sentence: string
    })
  /** Future messages dropped for lack of space. */
  | { readonly kind: 'dropped'; readonly messages: number }

/** `proposal` means a proposal with a justification for a higher round. */
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
  /** `from` is the peer that sent it, not necessarily the author; `raw` and `code` are for gossip and limits. */
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
  /** The writer finds the block invalid. That may change later, for example with a clock that runs behind. */
  | (RequestKey & { readonly type: 'importRefused'; readonly sentence: string })
  /** The request will have no answer: a deadline, a full disk, or a key that cannot be reached. */
  | (RequestKey & { readonly type: 'failed'; readonly sentence: string })
  | { readonly type: 'peerReconnected'; readonly validator: Address }
)

/** How a message arrived. */
export interface Delivery {
  /** The peer that sent it, not necessarily the author. */
  readonly from: string
  /** Relays the message to the others. Unsigned parts must be verified before. */
  readonly passOn: () => void
}
