/**
 * What validators say to each other, decoded. QBFT and IBFT 2.0 say the same four things and write them in two
 * ways; the machine in bft/core sees only these shapes. A decoder has recovered every author from the bytes as
 * they were received, so that nobody after it needs a curve; whether the author is a validator is for the machine.
 */
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'

/** `legacy`: as written up to 25.12. `current`: from 26.1 on, with room for a block access list. */
export type WireGeneration = 'legacy' | 'current'

/** The number of a block, safe as a number (decoders refuse more), and a round from 0 to MAX_ROUND. */
export interface RoundId {
  readonly height: number
  readonly round: number
}

/** What Besu can hold, a signed 32-bit number. */
export const MAX_ROUND = 2 ** 31 - 1

/** A payload, who signed it, and `[payload, signature]` as it was received or made: certificates repeat it. */
export interface Signed<Payload> {
  readonly payload: Payload
  readonly author: Address
  readonly encoded: Uint8Array
}

/** A block in a message: a round in the extra data, no seals. Only its header is decoded: bodies are the writer's. */
export interface ProposedBlock {
  readonly encoded: Uint8Array
  readonly header: BlockHeader
  /** The hash it goes by on the chain, the same in every round. */
  readonly hash: Hash
  /** What messages name it by: the hash with the round that its extra data say, which may not be the round it is sent in. */
  readonly digest: Hash
  /** RLP as received; undefined before Amsterdam. */
  readonly accessList: Uint8Array | undefined
}

export interface ProposalPayload extends RoundId {
  readonly kind: 'proposal'
  /** IBFT 2.0: as the payload says. QBFT: that of the block, which is part of the payload. */
  readonly digest: Hash
}

export interface PreparePayload extends RoundId {
  readonly kind: 'prepare'
  readonly digest: Hash
}

export interface CommitPayload extends RoundId {
  readonly kind: 'commit'
  readonly digest: Hash
  /** 65 bytes r, s, v over the hash of the block with the round of the message in it. */
  readonly seal: Uint8Array
  /** Who made the seal, if it is over the digest; undefined: nobody can have made it. */
  readonly sealAuthor: Address | undefined
}

export interface RoundChangePayload extends RoundId {
  readonly kind: 'roundChange'
  readonly prepared: PreparedClaim | undefined
}

/** In which round the author was prepared last, and for what. */
export interface PreparedClaim {
  readonly round: number
  readonly digest: Hash
  /** IBFT 2.0 signs the proof with the claim; in QBFT it stands beside, in the message. */
  readonly proof: PreparedProof | undefined
}

export interface PreparedProof {
  readonly proposal: Signed<ProposalPayload>
  readonly prepares: readonly Signed<PreparePayload>[]
}

export type Payload = ProposalPayload | PreparePayload | CommitPayload | RoundChangePayload

export interface ProposalMessage {
  readonly kind: 'proposal'
  readonly signed: Signed<ProposalPayload>
  readonly block: ProposedBlock
  /** Why there is a round above 0; empty in round 0 (decoders of IBFT 2.0 refuse a certificate that is empty). */
  readonly roundChanges: readonly Signed<RoundChangePayload>[]
  /** QBFT: that the block was prepared. IBFT 2.0: empty, the claims carry their proofs. */
  readonly prepares: readonly Signed<PreparePayload>[]
  readonly generation: WireGeneration
}

export interface PrepareMessage {
  readonly kind: 'prepare'
  readonly signed: Signed<PreparePayload>
}

export interface CommitMessage {
  readonly kind: 'commit'
  readonly signed: Signed<CommitPayload>
}

export interface RoundChangeMessage {
  readonly kind: 'roundChange'
  readonly signed: Signed<RoundChangePayload>
  /** What was prepared, in the round of the claim. */
  readonly block: ProposedBlock | undefined
  /** QBFT: the proof of the claim. IBFT 2.0: empty. */
  readonly prepares: readonly Signed<PreparePayload>[]
  readonly generation: WireGeneration
}

export type BftMessage = ProposalMessage | PrepareMessage | CommitMessage | RoundChangeMessage

/** That a quorum was for a block in a round; a validator keeps its latest and shows it when it changes rounds. */
export interface PreparedCertificate {
  readonly round: number
  readonly block: ProposedBlock
  readonly prepares: readonly Signed<PreparePayload>[]
  /** IBFT 2.0: the proposal of that round. QBFT: undefined, since it repeats the block. */
  readonly proposal: Signed<ProposalPayload> | undefined
}

/** What is to be signed. */
export type Draft =
  | (RoundId & { readonly kind: 'proposal'; readonly block: ProposedBlock })
  | (RoundId & { readonly kind: 'prepare'; readonly digest: Hash })
  /** `sealed`: what the seal is over. */
  | (RoundId & { readonly kind: 'commit'; readonly digest: Hash; readonly sealed: Hash })
  | (RoundId & { readonly kind: 'roundChange'; readonly certificate: PreparedCertificate | undefined })

/** Signs 32 bytes with the key of the node; 65 bytes r, s, v. */
export type SignDigest = (digest: Uint8Array) => Promise<Uint8Array>

/** The bytes of one protocol; one generation is sent, both are understood. */
export interface MessageCodec {
  readonly protocol: BftProtocol
  /**
   * Throws a Fault for what is no message. Views of `data` live on in the message. With the validators of the height it
   * is asked who wrote the message before anything deep is read, and no more is read than so many can have written.
   * `digest`: the hash of what is signed, where somebody else has hashed it.
   */
  decode(code: number, data: Uint8Array, validators?: readonly Address[], digest?: Uint8Array): BftMessage
  /** What the signature of a message is over, one after the other; it may hold a block. Throws as `decode` does. */
  signedPieces(code: number, data: Uint8Array): readonly Uint8Array[]
  encode(message: BftMessage): { readonly code: number; readonly data: Uint8Array }
  /** A commit is signed twice: the seal, then the payload with the seal inside. */
  sign(draft: Draft, author: Address, signDigest: SignDigest): Promise<Signed<Payload>>
  /** The generation that is sent. */
  readonly generation: WireGeneration
}
