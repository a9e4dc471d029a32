/** The encoding of a signature log entry; docs/internals/wire/signature-log.md has the layout. */
import type { SignatureEntry } from '#consensus/bft/events.ts'
import type {
  MessageCodec,
  PreparedCertificate,
  PrepareMessage,
  ProposedBlock,
} from '#consensus/bft/messages.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { bytesOf, invalid, itemsOf, MAX_CERTIFICATE_PAYLOADS } from '#consensus/bft/wire/read-items.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  encodeRlpList,
  rlpScalar,
  scalarFromRlp,
} from '#types/rlp.ts'

const NOTHING = new Uint8Array(0)
const RECORD_ITEMS = 7
/** The last item, `knownTo`, is present only if signatures may be missing. */
const MAX_RECORD_ITEMS = 8
const CERTIFICATE_ITEMS = 5
const SAFE_INTEGER_BYTES = 7
const MAX_CONTENT_BYTES = 32 * 1024 * 1024

export function encodeSignatureEntry(entry: SignatureEntry, codec: MessageCodec): Uint8Array {
  const { height, round, proposal, prepare, commit, roundChange, certificate, knownTo } = entry
  return encodeRlpList([
    encodeRlp(rlpScalar(height)),
    encodeRlp(rlpScalar(round)),
    encodeDigest(proposal),
    encodeDigest(prepare),
    encodeDigest(commit),
    encodeRlp(rlpScalar(roundChange ? 1 : 0)),
    certificate === undefined ? encodeRlpList([]) : encodeCertificate(certificate, codec),
    ...(knownTo === undefined ? [] : [encodeRlp(rlpScalar(knownTo))]),
  ])
}

/** Throws a Fault for an invalid entry. */
export function decodeSignatureEntry(
  encoded: Uint8Array,
  codecAt: (height: number) => MessageCodec,
  keccak: Keccak,
): SignatureEntry {
  const items = itemsOf(encoded, RECORD_ITEMS, MAX_RECORD_ITEMS)
  const [height, round, proposal, prepare, commit, roundChange, certificate] = items
  const knownTo = items[RECORD_ITEMS]
  return {
    height: numberOf(height),
    round: numberOf(round),
    proposal: digestOf(proposal),
    prepare: digestOf(prepare),
    commit: digestOf(commit),
    roundChange: numberOf(roundChange) === 1,
    certificate: certificateOf(certificate, codecAt(numberOf(height)), keccak),
    knownTo: knownTo && numberOf(knownTo),
  }
}

/** Protocol messages store the IBFT 2.0 proposal with its block, and each prepare. */
function encodeCertificate(certificate: PreparedCertificate, codec: MessageCodec): Uint8Array {
  const { round, block, prepares, proposal } = certificate
  const isInProposal = proposal !== undefined
  const proposalMessage = isInProposal
    ? ({
        kind: 'proposal',
        signed: proposal,
        block,
        roundChanges: [],
        prepares: [],
        generation: 'current',
      } as const)
    : undefined
  return encodeRlpList([
    encodeRlp(rlpScalar(round)),
    encodeRlp(isInProposal ? NOTHING : block.encoded),
    encodeRlp(isInProposal ? NOTHING : (block.accessList ?? NOTHING)),
    proposalMessage === undefined ? encodeRlpList([]) : encodeMessage(codec.encode(proposalMessage)),
    encodeRlpList(prepares.map((signed) => encodeMessage(codec.encode({ kind: 'prepare', signed })))),
  ])
}

function certificateOf(
  encoded: Uint8Array,
  codec: MessageCodec,
  keccak: Keccak,
): PreparedCertificate | undefined {
  const items = itemsOf(encoded, 0, CERTIFICATE_ITEMS)
  if (items.length === 0) return undefined
  const [round, block, accessList, proposal, prepares] = itemsOf(encoded, CERTIFICATE_ITEMS)
  const proposed = itemsOf(proposal, 0, 2).length === 0 ? undefined : messageOf(proposal, codec)
  if (proposed !== undefined && proposed.kind !== 'proposal') throw invalid('It keeps no proposal.')
  const signedPrepares = [...encodedRlpItems(prepares, MAX_CERTIFICATE_PAYLOADS)].map((item) => {
    const message = messageOf(item, codec)
    if (message.kind !== 'prepare') throw invalid('It keeps no prepares.')
    return (message as PrepareMessage).signed
  })
  return {
    round: numberOf(round),
    block: proposed?.block ?? blockOf(block, accessList, codec, keccak),
    prepares: signedPrepares,
    proposal: proposed?.signed,
  }
}

function blockOf(
  block: Uint8Array,
  accessList: Uint8Array,
  codec: MessageCodec,
  keccak: Keccak,
): ProposedBlock {
  const list = contentOf(accessList)
  const encoded = contentOf(block)
  return decodeProposedBlock(codec.protocol, encoded, list.length === 0 ? undefined : list, keccak)
}

function encodeMessage({ code, data }: { readonly code: number; readonly data: Uint8Array }): Uint8Array {
  return encodeRlpList([encodeRlp(rlpScalar(code)), encodeRlp(data)])
}

function messageOf(encoded: Uint8Array, codec: MessageCodec) {
  const [code, data] = itemsOf(encoded, 2)
  return codec.decode(numberOf(code), contentOf(data))
}

function encodeDigest(digest: Hash | undefined): Uint8Array {
  return encodeRlp(digest === undefined ? NOTHING : hashToBytes(digest))
}

function digestOf(encoded: Uint8Array): Hash | undefined {
  return encoded.length === 1 ? undefined : hashFromBytes(bytesOf(encoded, HASH_BYTES))
}

function numberOf(encoded: Uint8Array): number {
  const value = Number(scalarFromRlp(decodeRlp(encoded), SAFE_INTEGER_BYTES))
  if (!Number.isSafeInteger(value)) throw invalid(`No height or round is ${value}.`)
  return value
}

/** The content of a block or message, whose own decoders limit the length. */
function contentOf(encoded: Uint8Array): Uint8Array {
  return bytesFromRlp(decodeRlp(encoded, { maxBytes: MAX_CONTENT_BYTES }))
}
