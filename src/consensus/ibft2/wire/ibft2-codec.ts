/** The IBFT 2.0 wire format in both generations. */
import {
  MAX_ROUND,
  type MessageCodec,
  type PreparedClaim,
  type PreparedProof,
  type PreparePayload,
  type ProposalMessage,
  type ProposalPayload,
  type ProposedBlock,
  type RoundChangeMessage,
  type RoundChangePayload,
  type RoundId,
  type Signed,
  type WireGeneration,
} from '#consensus/bft/messages.ts'
import {
  createMessageCodec,
  type DraftOf,
  type PayloadParts,
  type WireFormat,
} from '#consensus/bft/wire/message-codec.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import {
  accessListItems,
  bytesOf,
  decodeAccessList,
  EMPTY_STRING,
  hashOf,
  invalid,
  isItem,
  itemsOf,
  type MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { encodeSignedList, SignedPayloads, type WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes, bytesToBigint } from '#types/bytes.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'

export function createIbft2Codec(crypto: WireCrypto, generation: WireGeneration): MessageCodec {
  return createMessageCodec(new Ibft2Format(crypto), generation)
}

/** Payloads are the same in both generations: the access list is outside of them. */
class Ibft2Format implements WireFormat {
  readonly protocol = 'ibft2'
  readonly name = 'IBFT 2.0'
  readonly codes = IBFT2_CODES
  readonly payloads: SignedPayloads
  readonly roundIdItems = roundIdItems
  readonly readRoundId = readRoundId
  readonly readPrepare = readPrepare
  readonly #crypto: WireCrypto

  constructor(crypto: WireCrypto) {
    this.payloads = new SignedPayloads(crypto, ibft2Preimage)
    this.#crypto = crypto
  }

  proposalParts({ kind, height, round, block: { digest } }: DraftOf<'proposal'>): PayloadParts {
    return { content: { kind, height, round, digest }, items: [encodeRlp(hashToBytes(digest))] }
  }

  roundChangeParts({ kind, height, round, certificate }: DraftOf<'roundChange'>): PayloadParts {
    if (certificate === undefined) {
      return { content: { kind, height, round, prepared: undefined }, items: [EMPTY_STRING] }
    }
    const { proposal, prepares } = certificate
    assert(proposal !== undefined, 'A certificate of IBFT 2.0 has the proposal that was prepared.')
    const proof = { proposal, prepares }
    const { digest } = proposal.payload
    const prepared = { round: certificate.round, digest, proof }
    return { content: { kind, height, round, prepared }, items: [encodeProof(proof)] }
  }

  /** Layout: `[[payload, signature], block, certificate or nothing, access list]`; up to 25.12 without the last. */
  decodeProposal(data: Uint8Array, work: MessageWork): ProposalMessage {
    const [signedItem, block, certificate, accessList] = itemsOf(data, 3, 4)
    const signed = this.payloads.decode(signedItem, IBFT2_CODES.proposal, readProposal, work)
    return {
      kind: 'proposal',
      signed,
      block: this.#block(block, accessList),
      roundChanges: this.#certificate(certificate, work),
      prepares: [],
      generation: accessList === undefined ? 'legacy' : 'current',
    }
  }

  /** A list of one list; empty in round 0. An empty list would be ambiguous and justifies nothing. */
  #certificate(item: Uint8Array, work: MessageWork): Signed<RoundChangePayload>[] {
    if (isItem(item, EMPTY_STRING)) return []
    const [list] = itemsOf(item, 1)
    const roundChanges = payloadsOf(list, work).map((encoded) => this.#signedRoundChange(encoded, work))
    if (roundChanges.length === 0) throw invalid('Its certificate is empty.')
    return roundChanges
  }

  /** Layout: `[[payload, signature], block or nothing, access list]`; up to 25.12 without the last. */
  decodeRoundChange(data: Uint8Array, work: MessageWork): RoundChangeMessage {
    const [signed, block, accessList] = itemsOf(data, 2, 3)
    return {
      kind: 'roundChange',
      signed: this.#signedRoundChange(signed, work),
      block: this.#preparedBlock(block, accessList),
      prepares: [],
      generation: accessList === undefined ? 'legacy' : 'current',
    }
  }

  #preparedBlock(item: Uint8Array, accessList: Uint8Array | undefined): ProposedBlock | undefined {
    if (!isItem(item, EMPTY_STRING)) return this.#block(item, accessList)
    if (decodeAccessList(accessList) === undefined) return undefined
    throw invalid('An access list is there, and no block that it is of.')
  }

  #block(item: Uint8Array, accessList: Uint8Array | undefined): ProposedBlock {
    return decodeProposedBlock('ibft2', item, decodeAccessList(accessList), this.#crypto.keccak)
  }

  #signedRoundChange(item: Uint8Array, work: MessageWork): Signed<RoundChangePayload> {
    const read = (payload: Uint8Array) => readRoundChange(payload, this.payloads, work)
    return this.payloads.decode(item, IBFT2_CODES.roundChange, read, work)
  }

  encode(message: ProposalMessage | RoundChangeMessage): Uint8Array {
    const { signed, block, generation } = message
    const accessList = accessListItems(generation, block)
    if (message.kind === 'roundChange') {
      return encodeRlpList([signed.encoded, block?.encoded ?? EMPTY_STRING, ...accessList])
    }
    const certificate = encodeCertificate(message.roundChanges)
    return encodeRlpList([signed.encoded, message.block.encoded, certificate, ...accessList])
  }
}

function encodeCertificate(roundChanges: readonly Signed<RoundChangePayload>[]): Uint8Array {
  return roundChanges.length === 0 ? EMPTY_STRING : encodeRlpList([encodeSignedList(roundChanges)])
}

export const IBFT2_CODES = { proposal: 0, prepare: 1, commit: 2, roundChange: 3 } as const

const HEIGHT_BYTES = 8
const ROUND_BYTES = 4

export function ibft2Preimage(code: number, payload: Uint8Array): Uint8Array[] {
  return [Uint8Array.of(code), payload]
}

export function readProposal(encoded: Uint8Array): ProposalPayload {
  return { kind: 'proposal', ...readDigest(encoded) }
}

export function readPrepare(encoded: Uint8Array): PreparePayload {
  return { kind: 'prepare', ...readDigest(encoded) }
}

export function readRoundChange(
  encoded: Uint8Array,
  payloads: SignedPayloads,
  work: MessageWork,
): RoundChangePayload {
  const [height, round, certificate] = itemsOf(encoded, 3)
  const prepared = claimOf(certificate, payloads, work)
  return { kind: 'roundChange', ...readRoundId(height, round), prepared }
}

export function roundIdItems({ height, round }: RoundId): Uint8Array[] {
  return [
    encodeRlp(bigintToBytes(BigInt(height), HEIGHT_BYTES)),
    encodeRlp(bigintToBytes(BigInt(round), ROUND_BYTES)),
  ]
}

/** Layout: `[proposal, [prepares]]`, each with its signature. */
export function encodeProof({ proposal, prepares }: PreparedProof): Uint8Array {
  return encodeRlpList([proposal.encoded, encodeSignedList(prepares)])
}

function claimOf(
  encoded: Uint8Array,
  payloads: SignedPayloads,
  work: MessageWork,
): PreparedClaim | undefined {
  if (isItem(encoded, EMPTY_STRING)) return undefined
  const [proposalItem, preparesItem] = itemsOf(encoded, 2)
  const proposal = payloads.decode(proposalItem, IBFT2_CODES.proposal, readProposal, work)
  const prepares = payloadsOf(preparesItem, work).map((item) =>
    payloads.decode(item, IBFT2_CODES.prepare, readPrepare, work),
  )
  const { round, digest } = proposal.payload
  return { round, digest, proof: { proposal, prepares } }
}

function readDigest(encoded: Uint8Array): RoundId & Pick<PreparePayload, 'digest'> {
  const [height, round, digest] = itemsOf(encoded, 3)
  return { ...readRoundId(height, round), digest: hashOf(digest) }
}

export function readRoundId(heightItem: Uint8Array, roundItem: Uint8Array): RoundId {
  const height = bytesToBigint(bytesOf(heightItem, HEIGHT_BYTES))
  const round = bytesToBigint(bytesOf(roundItem, ROUND_BYTES))
  if (height > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid(`No chain reaches block ${height}.`)
  if (round > BigInt(MAX_ROUND)) throw invalid(`Round ${round} is above ${MAX_ROUND}.`)
  return { height: Number(height), round: Number(round) }
}
