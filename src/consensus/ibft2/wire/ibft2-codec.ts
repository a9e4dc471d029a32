/** Messages of IBFT 2.0 in bytes, of both generations. */
import type {
  MessageCodec,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
  WireGeneration,
} from '#consensus/bft/messages.ts'
import { accessListItems, decodeAccessList } from '#consensus/bft/wire/access-list.ts'
import {
  createMessageCodec,
  type DraftOf,
  type PayloadParts,
  type WireFormat,
} from '#consensus/bft/wire/message-codec.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import {
  EMPTY_STRING,
  invalid,
  isItem,
  itemsOf,
  type MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { encodeSignedList, SignedPayloads, type WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import { assert } from '#types/assert.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import {
  encodeProof,
  IBFT2_CODES,
  ibft2Preimage,
  readPrepare,
  readProposal,
  readRoundChange,
  readRoundId,
  roundIdItems,
} from './ibft2-payloads.ts'

export function createIbft2Codec(crypto: WireCrypto, generation: WireGeneration): MessageCodec {
  return createMessageCodec(new Ibft2Format(crypto), generation)
}

/** No payload differs between the generations: the access list stands in the messages. */
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

  /** `[[payload, signature], block, certificate or nothing, access list]`, up to 25.12 without the last. */
  decodeProposal(data: Uint8Array, work: MessageWork): ProposalMessage {
    const [signedItem, block, certificate, accessList] = itemsOf(data, 3, 4) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array | undefined,
    ]
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

  /** A list of one list; nothing in round 0. An empty one could not be told from nothing, and justifies nothing. */
  #certificate(item: Uint8Array, work: MessageWork): Signed<RoundChangePayload>[] {
    if (isItem(item, EMPTY_STRING)) return []
    const [list] = itemsOf(item, 1) as [Uint8Array]
    const roundChanges = payloadsOf(list, work).map((encoded) => this.#signedRoundChange(encoded, work))
    if (roundChanges.length === 0) throw invalid('Its certificate is empty.')
    return roundChanges
  }

  /** `[[payload, signature], block or nothing, access list]`, up to 25.12 without the last. */
  decodeRoundChange(data: Uint8Array, work: MessageWork): RoundChangeMessage {
    const [signed, block, accessList] = itemsOf(data, 2, 3) as [
      Uint8Array,
      Uint8Array,
      Uint8Array | undefined,
    ]
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
