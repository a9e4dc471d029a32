/**
 * The `extraData` of a BFT header: validators, a vote, the round and the commit seals. IBFT 2.0 and QBFT encode the
 * same content in two ways that differ in four places.
 */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes, bytesToBigint } from '#types/bytes.ts'
import { SIGNATURE_BYTES } from '#types/curve.ts'
import { Fault, withFaultContext } from '#types/fault.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  listFromRlp,
  type RlpItem,
  type RlpLimits,
  rlpScalar,
  scalarFromRlp,
} from '#types/rlp.ts'

export type BftProtocol = 'ibft2' | 'qbft'

export interface BftVote {
  readonly recipient: Address
  readonly type: 'add' | 'drop'
}

export interface BftExtraData {
  /** 32 bytes without meaning to the protocol; other lengths decode too, as in Besu. */
  readonly vanity: Uint8Array
  readonly validators: readonly Address[]
  readonly vote: BftVote | null
  readonly round: number
  /** Commit seals, 65 bytes r, s, v each. */
  readonly seals: readonly Uint8Array[]
}

/**
 * `full` is in the header. Validators sign `withoutSeals`. The block hash covers `forHash`, which has neither seals
 * nor round, so a block has the same hash in all rounds.
 */
export type BftEncoding = 'full' | 'withoutSeals' | 'forHash'

export const VANITY_BYTES = 32

/** Room for some ten thousand validators with their seals. */
const LIMITS: RlpLimits = { maxDepth: 8, maxItems: 25_000, maxBytes: 1024 * 1024 }
const VOTE_INDEX = 2
const ROUND_BYTES = 4
/** The range of the field; validators stop at half of it. */
const MAX_WRITTEN_ROUND = 2 ** 32 - 1
const EMPTY = new Uint8Array(0)
const ADD = Uint8Array.of(0xff)
const DROP = Uint8Array.of(0x00)

export function encodeBftExtraData(
  protocol: BftProtocol,
  extraData: BftExtraData,
  encoding: BftEncoding = 'full',
): Uint8Array {
  const { vanity, validators, vote, round, seals } = extraData
  assert(Number.isInteger(round) && round >= 0 && round <= MAX_WRITTEN_ROUND, 'A round is a 32-bit number.')
  const common = [vanity, validators.map(addressToBytes), encodeVote(protocol, vote)]
  if (protocol === 'qbft') {
    const hashedRound = encoding === 'forHash' ? 0 : round
    return encodeRlp([...common, rlpScalar(hashedRound), encoding === 'full' ? seals : []])
  }
  if (encoding === 'forHash') return encodeRlp(common)
  const withRound = [...common, bigintToBytes(BigInt(round), ROUND_BYTES)]
  return encodeRlp(encoding === 'full' ? [...withRound, seals] : withRound)
}

/** The extra data of a genesis block: the validators in the given order, and nothing else. */
export function encodeGenesisExtraData(protocol: BftProtocol, validators: readonly Address[]): Uint8Array {
  const vanity = new Uint8Array(VANITY_BYTES)
  return encodeBftExtraData(protocol, { vanity, validators, vote: null, round: 0, seals: [] })
}

export function decodeBftExtraData(protocol: BftProtocol, bytes: Uint8Array): BftExtraData {
  const name = protocol === 'qbft' ? 'QBFT' : 'IBFT 2.0'
  if (bytes.length === 0) {
    const sentence = `The extra data is empty, but ${name} needs it to name the validators.`
    throw new Fault('INVALID_EXTRA_DATA', { sentence })
  }
  return withFaultContext('INVALID_EXTRA_DATA', `The extra data is not valid for ${name}.`, () =>
    decodeFields(protocol, decodeRlp(bytes, LIMITS)),
  )
}

/** Decodes only the vote of extra data that was decoded before: counting votes reads tens of thousands of headers. */
export function decodeBftVote(protocol: BftProtocol, bytes: Uint8Array): BftVote | null {
  let index = 0
  for (const item of encodedRlpItems(bytes)) {
    if (index++ === VOTE_INDEX) return decodeVote(protocol, decodeRlp(item, LIMITS))
  }
  throw new Fault('INVALID_EXTRA_DATA', { sentence: 'The extra data has no place for a vote.' })
}

function decodeFields(protocol: BftProtocol, item: RlpItem): BftExtraData {
  // Besu ignores further items of QBFT, and they do not change the hash.
  const fields = protocol === 'qbft' ? listFromRlp(item).slice(0, 5) : listFromRlp(item)
  const [vanity, validators, vote, round, seals] = listFromRlp(fields, 5)
  return {
    vanity: bytesFromRlp(vanity),
    validators: listFromRlp(validators).map(addressFromRlp),
    vote: decodeVote(protocol, vote),
    round: Number(
      protocol === 'qbft'
        ? scalarFromRlp(round, ROUND_BYTES)
        : bytesToBigint(bytesFromRlp(round, ROUND_BYTES)),
    ),
    seals: listFromRlp(seals).map(decodeSeal),
  }
}

function encodeVote(protocol: BftProtocol, vote: BftVote | null): RlpItem {
  if (vote === null) return protocol === 'qbft' ? [] : EMPTY
  const drop = protocol === 'qbft' ? EMPTY : DROP
  return [addressToBytes(vote.recipient), vote.type === 'add' ? ADD : drop]
}

function decodeVote(protocol: BftProtocol, item: RlpItem): BftVote | null {
  // An absent vote is an empty list in QBFT and an empty string in IBFT 2.0; the reverse is invalid.
  if (item.length === 0 && Array.isArray(item) === (protocol === 'qbft')) return null
  const [recipient, type] = listFromRlp(item, 2)
  return { recipient: addressFromRlp(recipient), type: decodeVoteType(protocol, type) }
}

/** A QBFT drop is encoded as nothing, and decoded from nothing (string or list) or from zero. */
function decodeVoteType(protocol: BftProtocol, item: RlpItem): BftVote['type'] {
  if (protocol === 'qbft' && item.length === 0) return 'drop'
  const [byte] = bytesFromRlp(item, 1)
  if (byte === ADD[0]) return 'add'
  if (byte === DROP[0]) return 'drop'
  throw new Fault('INVALID_EXTRA_DATA', { sentence: `A vote is 0xff or 0x00, and not ${byte}.` })
}

function decodeSeal(item: RlpItem): Uint8Array {
  const seal = bytesFromRlp(item, SIGNATURE_BYTES)
  if (seal[SIGNATURE_BYTES - 1]! <= 1) return seal
  throw new Fault('INVALID_EXTRA_DATA', { sentence: 'The last byte of a seal is 0 or 1.' })
}
