/** The QBFT wire format in both generations. The EEA specification leaves it open; networks use this one. */
import {
  MAX_ROUND,
  type MessageCodec,
  type PreparedClaim,
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
  decodeAccessList,
  EMPTY_LIST,
  encodeScalar,
  hashOf,
  invalid,
  isItem,
  itemsOf,
  type MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { encodeSignedList, SignedPayloads, type WireCrypto } from '#consensus/bft/wire/signed-payloads.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { decodeRlp, encodeRlp, encodeRlpList, rlpListHeader, scalarFromRlp } from '#types/rlp.ts'

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

  /** Layout: `[[payload, signature], [[round changes], [prepares]]]`. */
  decodeProposal(data: Uint8Array, work: MessageWork): ProposalMessage {
    const [signedItem, justification] = itemsOf(data, 2)
    let found: ReturnType<typeof readProposal> | undefined
    const read = (payload: Uint8Array) => {
      found = readProposal(payload, this.#crypto.keccak)
      return found.payload
    }
    const signed = this.payloads.decode(signedItem, QBFT_CODES.proposal, read, work)
    const { block, isLegacy } = found!
    const [roundChanges, prepares] = itemsOf(justification, 2)
    return {
      kind: 'proposal',
      signed,
      block,
      roundChanges: payloadsOf(roundChanges, work).map((item) => this.#signedRoundChange(item, work)),
      prepares: this.#prepares(prepares, work),
      generation: isLegacy ? 'legacy' : 'current',
    }
  }

  /** Layout: `[[payload, signature], block or nothing, access list, [prepares]]`; up to 25.12 without the access list. */
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

export const QBFT_CODES = { proposal: 0x12, prepare: 0x13, commit: 0x14, roundChange: 0x15 } as const

const LONG_BYTES = 8
const INT_BYTES = 4

export function qbftPreimage(code: number, payload: Uint8Array): Uint8Array[] {
  const encodedCode = encodeScalar(code)
  return [rlpListHeader(encodedCode.length + payload.length), encodedCode, payload]
}

export function readPrepare(encoded: Uint8Array): PreparePayload {
  const [height, round, digest] = itemsOf(encoded, 3)
  return { kind: 'prepare', ...readRoundId(height, round), digest: hashOf(digest) }
}

export function readRoundChange(encoded: Uint8Array): RoundChangePayload {
  const [height, round, prepared] = itemsOf(encoded, 3)
  return { kind: 'roundChange', ...readRoundId(height, round), prepared: claimOf(prepared) }
}

/** Three items up to 25.12, four since 26.1. */
export function readProposal(
  encoded: Uint8Array,
  keccak: Keccak,
): { readonly payload: ProposalPayload; readonly block: ProposedBlock; readonly isLegacy: boolean } {
  const [height, round, blockItem, accessList] = itemsOf(encoded, 3, 4)
  const block = decodeProposedBlock('qbft', blockItem, decodeAccessList(accessList), keccak)
  const payload: ProposalPayload = {
    kind: 'proposal',
    ...readRoundId(height, round),
    digest: block.digest,
  }
  return { payload, block, isLegacy: accessList === undefined }
}

export function roundIdItems({ height, round }: RoundId): [Uint8Array, Uint8Array] {
  return [encodeScalar(height), encodeScalar(round)]
}

function claimOf(encoded: Uint8Array): PreparedClaim | undefined {
  if (isItem(encoded, EMPTY_LIST)) return undefined
  const [round, digest] = itemsOf(encoded, 2)
  return { round: roundOf(round), digest: hashOf(digest), proof: undefined }
}

export function readRoundId(height: Uint8Array, round: Uint8Array): RoundId {
  return { height: numberOf(height, LONG_BYTES, Number.MAX_SAFE_INTEGER), round: roundOf(round) }
}

function roundOf(encoded: Uint8Array): number {
  return numberOf(encoded, INT_BYTES, MAX_ROUND)
}

function numberOf(encoded: Uint8Array, bytes: number, max: number): number {
  const value = scalarFromRlp(decodeRlp(encoded, { maxBytes: bytes + 1 }), bytes)
  if (value <= BigInt(max)) return Number(value)
  throw invalid(`${value} is above ${max}.`)
}
