/** Messages of IBFT 2.0 in bytes, of both generations. */
import type {
  BftMessage,
  Draft,
  MessageCodec,
  Payload,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
  RoundChangePayload,
  SignDigest,
  Signed,
  WireGeneration,
} from '#consensus/bft/messages.ts'
import { decodeAccessList, encodeAccessList } from '#consensus/bft/wire/access-list.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import {
  asMessageFault,
  EMPTY_STRING,
  invalid,
  isItem,
  itemsOf,
  MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { SignedPayloads, type WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import {
  encodeProof,
  IBFT2_CODES,
  ibft2Preimage,
  readCommit,
  readPrepare,
  readProposal,
  readRoundChange,
  roundIdItems,
} from './ibft2-payloads.ts'

export function createIbft2Codec(crypto: WireCrypto, generation: WireGeneration): MessageCodec {
  const codec = new Ibft2Codec(crypto)
  return {
    protocol: 'ibft2',
    generation,
    decode: (code, data) => asMessageFault('IBFT 2.0', data, () => codec.decode(code, data)),
    encode: (message) => ({ code: IBFT2_CODES[message.kind], data: encode(message) }),
    sign: (draft, author, signDigest) => codec.sign(draft, author, signDigest),
  }
}

/** No payload differs between the generations: the access list stands in the messages. */
class Ibft2Codec {
  readonly #crypto: WireCrypto
  readonly #payloads: SignedPayloads

  constructor(crypto: WireCrypto) {
    this.#crypto = crypto
    this.#payloads = new SignedPayloads(crypto, ibft2Preimage)
  }

  decode(code: number, data: Uint8Array): BftMessage {
    const work = new MessageWork()
    switch (code) {
      case IBFT2_CODES.proposal:
        return this.#proposal(data, work)
      case IBFT2_CODES.prepare:
        return { kind: 'prepare', signed: this.#payloads.decode(data, code, readPrepare, work) }
      case IBFT2_CODES.commit: {
        const read = (payload: Uint8Array) => readCommit(payload, this.#payloads)
        return { kind: 'commit', signed: this.#payloads.decode(data, code, read, work) }
      }
      case IBFT2_CODES.roundChange:
        return this.#roundChange(data, work)
      default:
        throw invalid(`There is no message with code ${code}.`)
    }
  }

  async sign(draft: Draft, author: Address, signDigest: SignDigest): Promise<Signed<Payload>> {
    const { kind, height, round } = draft
    const id = roundIdItems(draft)
    const sign = (content: Payload, ...items: Uint8Array[]) =>
      this.#payloads.sign(content, IBFT2_CODES[kind], [...id, ...items], author, signDigest)
    switch (kind) {
      case 'proposal': {
        const { digest } = draft.block
        return sign({ kind, height, round, digest }, encodeRlp(hashToBytes(digest)))
      }
      case 'prepare': {
        const { digest } = draft
        return sign({ kind, height, round, digest }, encodeRlp(hashToBytes(digest)))
      }
      case 'commit': {
        const { digest } = draft
        const hash = hashToBytes(digest)
        const seal = await signDigest(hash)
        const content = { kind, height, round, digest, seal, sealAuthor: author }
        return sign(content, encodeRlp(hash), encodeRlp(seal))
      }
      case 'roundChange': {
        const { certificate } = draft
        if (certificate === undefined) return sign({ kind, height, round, prepared: undefined }, EMPTY_STRING)
        const { proposal, prepares } = certificate
        assert(proposal !== undefined, 'A certificate of IBFT 2.0 has the proposal that was prepared.')
        const proof = { proposal, prepares }
        const { digest } = proposal.payload
        const content = { kind, height, round, prepared: { round: certificate.round, digest, proof } }
        return sign(content, encodeProof(proof))
      }
    }
  }

  /** `[[payload, signature], block, certificate or nothing, access list]`, up to 25.12 without the last. */
  #proposal(data: Uint8Array, work: MessageWork): ProposalMessage {
    const [signedItem, block, certificate, accessList] = itemsOf(data, 3, 4) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array | undefined,
    ]
    const signed = this.#payloads.decode(signedItem, IBFT2_CODES.proposal, readProposal, work)
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
    const roundChanges = payloadsOf(list).map((encoded) => this.#signedRoundChange(encoded, work))
    if (roundChanges.length === 0) throw invalid('Its certificate is empty.')
    return roundChanges
  }

  /** `[[payload, signature], block or nothing, access list]`, up to 25.12 without the last. */
  #roundChange(data: Uint8Array, work: MessageWork): RoundChangeMessage {
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
    const read = (payload: Uint8Array) => readRoundChange(payload, this.#payloads, work)
    return this.#payloads.decode(item, IBFT2_CODES.roundChange, read, work)
  }
}

function encode(message: BftMessage): Uint8Array {
  switch (message.kind) {
    case 'prepare':
    case 'commit':
      return message.signed.encoded
    case 'proposal': {
      const { signed, block, roundChanges } = message
      const items = [signed.encoded, block.encoded, encodeCertificate(roundChanges)]
      return encodeRlpList([...items, ...accessListItems(message)])
    }
    case 'roundChange': {
      const { signed, block } = message
      return encodeRlpList([signed.encoded, block?.encoded ?? EMPTY_STRING, ...accessListItems(message)])
    }
  }
}

function encodeCertificate(roundChanges: readonly Signed<RoundChangePayload>[]): Uint8Array {
  if (roundChanges.length === 0) return EMPTY_STRING
  return encodeRlpList([encodeRlpList(roundChanges.map(({ encoded }) => encoded))])
}

function accessListItems({ block, generation }: ProposalMessage | RoundChangeMessage): Uint8Array[] {
  return generation === 'legacy' ? [] : [encodeAccessList(block)]
}
