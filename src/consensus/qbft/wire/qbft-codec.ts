/** Messages of QBFT in bytes, of both generations. The specification of EEA leaves them open; these are what networks use. */
import type {
  MessageCodec,
  PreparePayload,
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
  EMPTY_LIST,
  invalid,
  isItem,
  itemsOf,
  type MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { encodeSignedList, SignedPayloads, type WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import {
  QBFT_CODES,
  qbftPreimage,
  readPrepare,
  readProposal,
  readRoundChange,
  readRoundId,
  roundIdItems,
} from './qbft-payloads.ts'

export function createQbftCodec(crypto: WireCrypto, generation: WireGeneration): MessageCodec {
  return createMessageCodec(new QbftFormat(crypto, generation), generation)
}

class QbftFormat implements WireFormat {
  readonly protocol = 'qbft'
  readonly name = 'QBFT'
  readonly codes = QBFT_CODES
  readonly payloads: SignedPayloads
  readonly roundIdItems = roundIdItems
  readonly readRoundId = readRoundId
  readonly readPrepare = readPrepare
  readonly #crypto: WireCrypto
  readonly #generation: WireGeneration

  constructor(crypto: WireCrypto, generation: WireGeneration) {
    this.payloads = new SignedPayloads(crypto, qbftPreimage)
    this.#crypto = crypto
    this.#generation = generation
  }

  proposalParts({ kind, height, round, block }: DraftOf<'proposal'>): PayloadParts {
    const content = { kind, height, round, digest: block.digest }
    return { content, items: [block.encoded, ...accessListItems(this.#generation, block)] }
  }

  roundChangeParts({ kind, height, round, certificate }: DraftOf<'roundChange'>): PayloadParts {
    if (certificate === undefined) {
      return { content: { kind, height, round, prepared: undefined }, items: [EMPTY_LIST] }
    }
    const { digest } = certificate.block
    const prepared = { round: certificate.round, digest, proof: undefined }
    const [, preparedRound] = roundIdItems({ height, round: certificate.round })
    const claim = encodeRlpList([preparedRound, encodeRlp(hashToBytes(digest))])
    return { content: { kind, height, round, prepared }, items: [claim] }
  }

  /** `[[payload, signature], [[round changes], [prepares]]]` */
  decodeProposal(data: Uint8Array, work: MessageWork): ProposalMessage {
    const [signedItem, justification] = itemsOf(data, 2) as [Uint8Array, Uint8Array]
    let found: ReturnType<typeof readProposal> | undefined
    const read = (payload: Uint8Array) => {
      found = readProposal(payload, this.#crypto.keccak)
      return found.payload
    }
    const signed = this.payloads.decode(signedItem, QBFT_CODES.proposal, read, work)
    const { block, isLegacy } = found!
    const [roundChanges, prepares] = itemsOf(justification, 2) as [Uint8Array, Uint8Array]
    return {
      kind: 'proposal',
      signed,
      block,
      roundChanges: payloadsOf(roundChanges, work).map((item) => this.#signedRoundChange(item, work)),
      prepares: this.#prepares(prepares, work),
      generation: isLegacy ? 'legacy' : 'current',
    }
  }

  /** `[[payload, signature], block or nothing, access list, [prepares]]`, up to 25.12 without the access list. */
  decodeRoundChange(data: Uint8Array, work: MessageWork): RoundChangeMessage {
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
    return this.payloads.decode(item, QBFT_CODES.roundChange, readRoundChange, work)
  }

  #prepares(list: Uint8Array, work: MessageWork): Signed<PreparePayload>[] {
    return payloadsOf(list, work).map((item) =>
      this.payloads.decode(item, QBFT_CODES.prepare, readPrepare, work),
    )
  }

  encode(message: ProposalMessage | RoundChangeMessage): Uint8Array {
    const { signed, prepares } = message
    if (message.kind === 'proposal') {
      const justification = [encodeSignedList(message.roundChanges), encodeSignedList(prepares)]
      return encodeRlpList([signed.encoded, encodeRlpList(justification)])
    }
    const { block, generation } = message
    const items = [signed.encoded, block?.encoded ?? EMPTY_LIST, ...accessListItems(generation, block)]
    return encodeRlpList([...items, encodeSignedList(prepares)])
  }
}
