/**
 * Decoded consensus messages. QBFT and IBFT 2.0 have the same four in two encodings; the machine in bft/core sees only these
 * types. A decoder has recovered every author from the received bytes; the machine checks whether the author is a validator.
 */
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'

/** `legacy` is the encoding up to Besu 25.12; `current` the one since 26.1, with a block access list. */
export type WireGeneration = 'legacy' | 'current'

/** A block number that is a safe integer (decoders refuse more) and a round from 0 to MAX_ROUND. */
export interface RoundId {
  readonly height: number
  readonly round: number
}

/** Besu's limit, a signed 32-bit number. */
export const MAX_ROUND = 2 ** 31 - 1

/** A payload, its signer, and `[payload, signature]` as received or made, which certificates repeat. */
export interface Signed<Payload> {
  readonly payload: Payload
  readonly author: Address
  readonly encoded: Uint8Array
}

/** A block in a message, with a round in the extra data and no seals. Only its header is decoded; the writer decodes bodies. */
export interface ProposedBlock {
  readonly encoded: Uint8Array
  readonly header: BlockHeader
  /** The block hash, which is the same in every round. */
  readonly hash: Hash
  /** The hash that messages use, with the round in the extra data, which may differ from the round of the message. */
  readonly digest: Hash
  /** RLP as received; undefined before Amsterdam. */
  readonly accessList: Uint8Array | undefined
}

export interface ProposalPayload extends RoundId {
  readonly kind: 'proposal'
  /** IBFT 2.0: in the payload. QBFT: of the block in the payload. */
  readonly digest: Hash
}

export interface PreparePayload extends RoundId {
  readonly kind: 'prepare'
  readonly digest: Hash
}

export interface CommitPayload extends RoundId {
  readonly kind: 'commit'
  readonly digest: Hash
  /** 65 bytes r, s, v over the hash of the block with the round of the message. */
  readonly seal: Uint8Array
  /** The author of the seal if it signs the digest; undefined if no key can have made it. */
  readonly sealAuthor: Address | undefined
}

export interface RoundChangePayload extends RoundId {
  readonly kind: 'roundChange'
  readonly prepared: PreparedClaim | undefined
}

/** The round in which the author was last prepared, and the block. */
export interface PreparedClaim {
  readonly round: number
  readonly digest: Hash
  /** IBFT 2.0 signs the proof with the claim; in QBFT it is an unsigned part of the message. */
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
  /** The justification of a round above 0; empty in round 0 (IBFT 2.0 decoders refuse an empty certificate). */
  readonly roundChanges: readonly Signed<RoundChangePayload>[]
  /** QBFT: the proof that the block was prepared. IBFT 2.0: empty, because claims contain their proofs. */
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
  /** The prepared block, in the round of the claim. */
  readonly block: ProposedBlock | undefined
  /** QBFT: the proof of the claim. IBFT 2.0: empty. */
  readonly prepares: readonly Signed<PreparePayload>[]
  readonly generation: WireGeneration
}

export type BftMessage = ProposalMessage | PrepareMessage | CommitMessage | RoundChangeMessage

/** The proof that a quorum prepared a block in a round. A validator keeps its latest and sends it with a round change. */
export interface PreparedCertificate {
  readonly round: number
  readonly block: ProposedBlock
  readonly prepares: readonly Signed<PreparePayload>[]
  /** IBFT 2.0: the proposal of that round. QBFT: undefined, since it repeats the block. */
  readonly proposal: Signed<ProposalPayload> | undefined
}

/** A message to sign. */
export type Draft =
  | (RoundId & { readonly kind: 'proposal'; readonly block: ProposedBlock })
  | (RoundId & { readonly kind: 'prepare'; readonly digest: Hash })
  /** `sealed` is the hash that the seal signs. */
  | (RoundId & { readonly kind: 'commit'; readonly digest: Hash; readonly sealed: Hash })
  | (RoundId & { readonly kind: 'roundChange'; readonly certificate: PreparedCertificate | undefined })

/** Signs 32 bytes with the node key; returns 65 bytes r, s, v. */
export type SignDigest = (digest: Uint8Array) => Promise<Uint8Array>

/** The wire format of a protocol. One generation is sent; both are decoded. */
export interface MessageCodec {
  readonly protocol: BftProtocol
  /**
   * Throws a Fault for an invalid message. The message keeps views of `data`. With the validators of the height, the author is
   * checked before anything deep is decoded, and no more is decoded than that many validators can write. `digest` is the hash
   * of the signed part if it was computed elsewhere.
   */
  decode(code: number, data: Uint8Array, validators?: readonly Address[], digest?: Uint8Array): BftMessage
  /** The pieces of the signed part, which may contain a block. Throws like `decode`. */
  signedPieces(code: number, data: Uint8Array): readonly Uint8Array[]
  encode(message: BftMessage): { readonly code: number; readonly data: Uint8Array }
  /** A commit is signed twice: the seal, then the payload with the seal inside. */
  sign(draft: Draft, author: Address, signDigest: SignDigest): Promise<Signed<Payload>>
  /** The generation that is sent. */
  readonly generation: WireGeneration
}
