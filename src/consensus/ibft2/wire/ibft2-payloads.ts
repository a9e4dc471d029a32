/** The payloads of IBFT 2.0. Numbers have fixed widths; what is signed is the code, one byte, before the payload. */
import {
  MAX_ROUND,
  type PreparedClaim,
  type PreparedProof,
  type PreparePayload,
  type ProposalPayload,
  type RoundChangePayload,
  type RoundId,
} from '#consensus/bft/messages.ts'
import {
  bytesOf,
  EMPTY_STRING,
  hashOf,
  invalid,
  isItem,
  itemsOf,
  type MessageWork,
  payloadsOf,
} from '#consensus/bft/wire/read-items.ts'
import { encodeSignedList, type SignedPayloads } from '#consensus/bft/wire/signed-payloads.ts'
import { bigintToBytes, bytesToBigint } from '#types/bytes.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'

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
  const [height, round, certificate] = itemsOf(encoded, 3) as [Uint8Array, Uint8Array, Uint8Array]
  const prepared = claimOf(certificate, payloads, work)
  return { kind: 'roundChange', ...readRoundId(height, round), prepared }
}

export function roundIdItems({ height, round }: RoundId): Uint8Array[] {
  return [
    encodeRlp(bigintToBytes(BigInt(height), HEIGHT_BYTES)),
    encodeRlp(bigintToBytes(BigInt(round), ROUND_BYTES)),
  ]
}

/** `[proposal, [prepares]]`, each with its signature. */
export function encodeProof({ proposal, prepares }: PreparedProof): Uint8Array {
  return encodeRlpList([proposal.encoded, encodeSignedList(prepares)])
}

function claimOf(
  encoded: Uint8Array,
  payloads: SignedPayloads,
  work: MessageWork,
): PreparedClaim | undefined {
  if (isItem(encoded, EMPTY_STRING)) return undefined
  const [proposalItem, preparesItem] = itemsOf(encoded, 2) as [Uint8Array, Uint8Array]
  const proposal = payloads.decode(proposalItem, IBFT2_CODES.proposal, readProposal, work)
  const prepares = payloadsOf(preparesItem, work).map((item) =>
    payloads.decode(item, IBFT2_CODES.prepare, readPrepare, work),
  )
  const { round, digest } = proposal.payload
  return { round, digest, proof: { proposal, prepares } }
}

function readDigest(encoded: Uint8Array): RoundId & Pick<PreparePayload, 'digest'> {
  const [height, round, digest] = itemsOf(encoded, 3) as [Uint8Array, Uint8Array, Uint8Array]
  return { ...readRoundId(height, round), digest: hashOf(digest) }
}

export function readRoundId(heightItem: Uint8Array, roundItem: Uint8Array): RoundId {
  const height = bytesToBigint(bytesOf(heightItem, HEIGHT_BYTES))
  const round = bytesToBigint(bytesOf(roundItem, ROUND_BYTES))
  if (height > BigInt(Number.MAX_SAFE_INTEGER)) throw invalid(`No chain reaches block ${height}.`)
  if (round > BigInt(MAX_ROUND)) throw invalid(`Round ${round} is above ${MAX_ROUND}.`)
  return { height: Number(height), round: Number(round) }
}
