/** The shared encoding of QBFT and IBFT 2.0: message codes, prepares and commits. */
import type {
  BftMessage,
  CommitPayload,
  Draft,
  MessageCodec,
  Payload,
  PreparePayload,
  ProposalMessage,
  RoundChangeMessage,
  RoundId,
  SignDigest,
  Signed,
  WireGeneration,
} from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { hashToBytes } from '#types/hash.ts'
import { encodeRlp } from '#types/rlp.ts'
import { asMessageFault, hashOf, invalid, itemsOf, MessageWork, sealOf } from './read-items.ts'
import type { SignedPayloads } from './signed-payloads.ts'

/** A payload and its items after height and round. */
export interface PayloadParts {
  readonly content: Payload
  readonly items: readonly Uint8Array[]
}

/** Maximum items of a proposal or round change. */
const MAX_MESSAGE_ITEMS = 4

export type DraftOf<Kind extends Draft['kind']> = Extract<Draft, { kind: Kind }>

/** The encodings that differ by protocol. */
export interface WireFormat {
  readonly protocol: BftProtocol
  /** The display name. */
  readonly name: string
  readonly codes: Readonly<Record<BftMessage['kind'], number>>
  readonly payloads: SignedPayloads
  roundIdItems(id: RoundId): readonly Uint8Array[]
  readRoundId(height: Uint8Array, round: Uint8Array): RoundId
  readPrepare(payload: Uint8Array): PreparePayload
  proposalParts(draft: DraftOf<'proposal'>): PayloadParts
  roundChangeParts(draft: DraftOf<'roundChange'>): PayloadParts
  decodeProposal(data: Uint8Array, work: MessageWork): ProposalMessage
  decodeRoundChange(data: Uint8Array, work: MessageWork): RoundChangeMessage
  encode(message: ProposalMessage | RoundChangeMessage): Uint8Array
}

export function createMessageCodec(format: WireFormat, generation: WireGeneration): MessageCodec {
  const { protocol, name, codes } = format
  return {
    protocol,
    generation,
    signedPieces: (code, data) => asMessageFault(name, data, () => signedPieces(format, code, data)),
    decode: (code, data, validators, digest) =>
      asMessageFault(name, data, () => decode(format, code, data, new MessageWork(validators, digest))),
    encode: (message) => ({ code: codes[message.kind], data: encode(format, message) }),
    sign: (draft, author, signDigest) => sign(format, draft, author, signDigest),
  }
}

function decode(format: WireFormat, code: number, data: Uint8Array, work: MessageWork): BftMessage {
  const { codes, payloads } = format
  switch (code) {
    case codes.proposal:
      return format.decodeProposal(data, work)
    case codes.prepare:
      return { kind: 'prepare', signed: payloads.decode(data, code, format.readPrepare, work) }
    case codes.commit: {
      const read = (payload: Uint8Array) => readCommit(format, payload)
      return { kind: 'commit', signed: payloads.decode(data, code, read, work) }
    }
    case codes.roundChange:
      return format.decodeRoundChange(data, work)
    default:
      throw invalid(`There is no message with code ${code}.`)
  }
}

/** Prepares and commits consist only of the signed part; in other messages it comes first. */
function signedPieces(
  { codes, payloads }: WireFormat,
  code: number,
  data: Uint8Array,
): readonly Uint8Array[] {
  const isPrepareOrCommit = code === codes.prepare || code === codes.commit
  return payloads.signedPieces(isPrepareOrCommit ? data : itemsOf(data, 2, MAX_MESSAGE_ITEMS)[0]!, code)
}

/** Layout: `[height, round, digest, seal]`. */
function readCommit({ readRoundId, payloads }: WireFormat, encoded: Uint8Array): CommitPayload {
  const [height, round, digestItem, sealItem] = itemsOf(encoded, 4)
  const seal = sealOf(sealItem)
  const digest = hashOf(digestItem)
  const sealAuthor = payloads.sealAuthor(hashToBytes(digest), seal)
  return { kind: 'commit', ...readRoundId(height, round), digest, seal, sealAuthor }
}

function encode(format: WireFormat, message: BftMessage): Uint8Array {
  const isPrepareOrCommit = message.kind === 'prepare' || message.kind === 'commit'
  return isPrepareOrCommit ? message.signed.encoded : format.encode(message)
}

async function sign(
  format: WireFormat,
  draft: Draft,
  author: Address,
  signDigest: SignDigest,
): Promise<Signed<Payload>> {
  const { kind, height, round } = draft
  const sign = ({ content, items }: PayloadParts) => {
    const all = [...format.roundIdItems(draft), ...items]
    return format.payloads.sign(content, format.codes[kind], all, author, signDigest)
  }
  switch (kind) {
    case 'proposal':
      return sign(format.proposalParts(draft))
    case 'prepare': {
      const { digest } = draft
      return sign({ content: { kind, height, round, digest }, items: [encodeRlp(hashToBytes(digest))] })
    }
    case 'commit': {
      const { digest, sealed } = draft
      const seal = await signDigest(hashToBytes(sealed))
      const sealAuthor = sealed === digest ? author : undefined
      const content = { kind, height, round, digest, seal, sealAuthor }
      return sign({ content, items: [encodeRlp(hashToBytes(digest)), encodeRlp(seal)] })
    }
    case 'roundChange':
      return sign(format.roundChangeParts(draft))
  }
}
