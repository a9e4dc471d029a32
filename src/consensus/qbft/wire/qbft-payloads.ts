/** The payloads of QBFT. Numbers are scalars; what is signed is the list of code and payload. */
import {
  MAX_ROUND,
  type PreparedClaim,
  type PreparePayload,
  type ProposalPayload,
  type ProposedBlock,
  type RoundChangePayload,
  type RoundId,
} from '#consensus/bft/messages.ts'
import { decodeAccessList } from '#consensus/bft/wire/access-list.ts'
import { decodeProposedBlock } from '#consensus/bft/wire/proposed-block.ts'
import { EMPTY_LIST, encodeScalar, hashOf, invalid, isItem, itemsOf } from '#consensus/bft/wire/read-items.ts'
import type { Keccak } from '#types/keccak.ts'
import { decodeRlp, rlpListHeader, scalarFromRlp } from '#types/rlp.ts'

export const QBFT_CODES = { proposal: 0x12, prepare: 0x13, commit: 0x14, roundChange: 0x15 } as const

const LONG_BYTES = 8
const INT_BYTES = 4

export function qbftPreimage(code: number, payload: Uint8Array): Uint8Array[] {
  const encodedCode = encodeScalar(code)
  return [rlpListHeader(encodedCode.length + payload.length), encodedCode, payload]
}

export function readPrepare(encoded: Uint8Array): PreparePayload {
  const [height, round, digest] = itemsOf(encoded, 3) as [Uint8Array, Uint8Array, Uint8Array]
  return { kind: 'prepare', ...readRoundId(height, round), digest: hashOf(digest) }
}

export function readRoundChange(encoded: Uint8Array): RoundChangePayload {
  const [height, round, prepared] = itemsOf(encoded, 3) as [Uint8Array, Uint8Array, Uint8Array]
  return { kind: 'roundChange', ...readRoundId(height, round), prepared: claimOf(prepared) }
}

/** Up to 25.12 it has three items, from 26.1 on four. */
export function readProposal(
  encoded: Uint8Array,
  keccak: Keccak,
): { readonly payload: ProposalPayload; readonly block: ProposedBlock; readonly isLegacy: boolean } {
  const [height, round, blockItem, accessList] = itemsOf(encoded, 3, 4) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array | undefined,
  ]
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
  const [round, digest] = itemsOf(encoded, 2) as [Uint8Array, Uint8Array]
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
