/** Messages of QBFT in bytes, of both generations. The specification of EEA leaves them open; these are what networks use. */
import type {
  BftMessage,
  Draft,
  MessageCodec,
  Payload,
  PreparePayload,
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
  EMPTY_LIST,
  invalid,
  isItem,
  itemsOf,
  MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { SignedPayloads, type WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import type { Address } from '#types/address.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import {
  QBFT_CODES,
  qbftPreimage,
  readCommit,
  readPrepare,
  readProposal,
  readRoundChange,
  roundIdItems,
} from './qbft-payloads.ts'

export function createQbftCodec(crypto: WireCrypto, generation: WireGeneration): MessageCodec {
  const codec = new QbftCodec(crypto, generation)
  return {
    protocol: 'qbft',
    generation,
    decode: (code, data) => asMessageFault('QBFT', data, () => codec.decode(code, data)),
    encode: (message) => ({ code: QBFT_CODES[message.kind], data: encode(message) }),
    sign: (draft, author, signDigest) => codec.sign(draft, author, signDigest),
  }
}

class QbftCodec {
  readonly #crypto: WireCrypto
  readonly #generation: WireGeneration
  readonly #payloads: SignedPayloads

  constructor(crypto: WireCrypto, generation: WireGeneration) {
    this.#crypto = crypto
    this.#generation = generation
    this.#payloads = new SignedPayloads(crypto, qbftPreimage)
  }

  decode(code: number, data: Uint8Array): BftMessage {
    const work = new MessageWork()
    switch (code) {
      case QBFT_CODES.proposal:
        return this.#proposal(data, work)
      case QBFT_CODES.prepare:
        return { kind: 'prepare', signed: this.#payloads.decode(data, code, readPrepare, work) }
      case QBFT_CODES.commit: {
        const read = (payload: Uint8Array) => readCommit(payload, this.#payloads)
        return { kind: 'commit', signed: this.#payloads.decode(data, code, read, work) }
      }
      case QBFT_CODES.roundChange:
        return this.#roundChange(data, work)
      default:
        throw invalid(`There is no message with code ${code}.`)
    }
  }

  async sign(draft: Draft, author: Address, signDigest: SignDigest): Promise<Signed<Payload>> {
    const { kind, height, round } = draft
    const code = QBFT_CODES[kind]
    const id = roundIdItems(draft)
    const sign = (content: Payload, ...items: Uint8Array[]) =>
      this.#payloads.sign(content, code, [...id, ...items], author, signDigest)
    switch (kind) {
      case 'proposal': {
        const { block } = draft
        const content = { kind, height, round, digest: block.digest }
        if (this.#generation === 'legacy') return sign(content, block.encoded)
        return sign(content, block.encoded, encodeAccessList(block))
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
        if (certificate === undefined) return sign({ kind, height, round, prepared: undefined }, EMPTY_LIST)
        const { digest } = certificate.block
        const prepared = { round: certificate.round, digest, proof: undefined }
        const [, preparedRound] = roundIdItems({ height, round: certificate.round })
        const claim = encodeRlpList([preparedRound, encodeRlp(hashToBytes(digest))])
        return sign({ kind, height, round, prepared }, claim)
      }
    }
  }

  /** `[[payload, signature], [[round changes], [prepares]]]` */
  #proposal(data: Uint8Array, work: MessageWork): ProposalMessage {
    const [signedItem, justification] = itemsOf(data, 2) as [Uint8Array, Uint8Array]
    let found: ReturnType<typeof readProposal> | undefined
    const read = (payload: Uint8Array) => {
      found = readProposal(payload, this.#crypto.keccak)
      return found.payload
    }
    const signed = this.#payloads.decode(signedItem, QBFT_CODES.proposal, read, work)
    const { block, isLegacy } = found!
    const [roundChanges, prepares] = itemsOf(justification, 2) as [Uint8Array, Uint8Array]
    return {
      kind: 'proposal',
      signed,
      block,
      roundChanges: payloadsOf(roundChanges).map((item) => this.#signedRoundChange(item, work)),
      prepares: this.#prepares(prepares, work),
      generation: isLegacy ? 'legacy' : 'current',
    }
  }

  /** `[[payload, signature], block or nothing, access list, [prepares]]`, up to 25.12 without the access list. */
  #roundChange(data: Uint8Array, work: MessageWork): RoundChangeMessage {
    const items = itemsOf(data, 3, 4)
    const isLegacy = items.length === 3
    const [signed, block, accessList] = items as [Uint8Array, Uint8Array, Uint8Array]
    return {
      kind: 'roundChange',
      signed: this.#signedRoundChange(signed, work),
      block: this.#preparedBlock(block, isLegacy ? undefined : accessList),
      prepares: this.#prepares(items.at(-1)!, work),
      generation: isLegacy ? 'legacy' : 'current',
    }
  }

  #preparedBlock(item: Uint8Array, accessListItem: Uint8Array | undefined): ProposedBlock | undefined {
    const accessList = decodeAccessList(accessListItem)
    if (!isItem(item, EMPTY_LIST)) return decodeProposedBlock('qbft', item, accessList, this.#crypto.keccak)
    if (accessList !== undefined) throw invalid('An access list is there, and no block that it is of.')
    return undefined
  }

  #signedRoundChange(item: Uint8Array, work: MessageWork): Signed<RoundChangePayload> {
    return this.#payloads.decode(item, QBFT_CODES.roundChange, readRoundChange, work)
  }

  #prepares(list: Uint8Array, work: MessageWork): Signed<PreparePayload>[] {
    return payloadsOf(list).map((item) => this.#payloads.decode(item, QBFT_CODES.prepare, readPrepare, work))
  }
}

function encode(message: BftMessage): Uint8Array {
  switch (message.kind) {
    case 'prepare':
    case 'commit':
      return message.signed.encoded
    case 'proposal': {
      const justification = [encodeSigned(message.roundChanges), encodeSigned(message.prepares)]
      return encodeRlpList([message.signed.encoded, encodeRlpList(justification)])
    }
    case 'roundChange': {
      const { signed, block, prepares, generation } = message
      const accessList = generation === 'legacy' ? [] : [encodeAccessList(block)]
      return encodeRlpList([
        signed.encoded,
        block?.encoded ?? EMPTY_LIST,
        ...accessList,
        encodeSigned(prepares),
      ])
    }
  }
}

function encodeSigned(signed: readonly Signed<Payload>[]): Uint8Array {
  return encodeRlpList(signed.map(({ encoded }) => encoded))
}
