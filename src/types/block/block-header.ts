/**
 * A block header and its plain hash. The hash that identifies a block depends on the network: BFT networks omit the
 * seals, see block-hash.ts.
 */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes, bytesToBigint } from '#types/bytes.ts'
import { Fault, withFaultContext } from '#types/fault.ts'
import { type Hash, hashFromBytes, hashFromRlp, hashToBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import {
  bytesFromRlp,
  decodeRlp,
  encodeRlp,
  listFromRlp,
  type RlpItem,
  type RlpLimits,
  rlpScalar,
  scalarFromRlp,
} from '#types/rlp.ts'
import { BLOOM_BYTES } from './bloom.ts'

export interface BlockHeader {
  readonly parentHash: Hash
  readonly ommersHash: Hash
  readonly coinbase: Address
  readonly stateRoot: Hash
  readonly transactionsRoot: Hash
  readonly receiptsRoot: Hash
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** In seconds. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** PREVRANDAO from Paris on, a constant on BFT networks. */
  readonly mixHash: Hash
  readonly nonce: bigint
  // Forks added these in order; a header that lacks one lacks all that follow.
  readonly baseFeePerGas: bigint | undefined
  readonly withdrawalsRoot: Hash | undefined
  readonly blobGasUsed: bigint | undefined
  readonly excessBlobGas: bigint | undefined
  readonly parentBeaconBlockRoot: Hash | undefined
  readonly requestsHash: Hash | undefined
  readonly blockAccessListHash: Hash | undefined
  readonly slotNumber: bigint | undefined
}

export const NO_OPTIONAL_FIELDS = {
  baseFeePerGas: undefined,
  withdrawalsRoot: undefined,
  blobGasUsed: undefined,
  excessBlobGas: undefined,
  parentBeaconBlockRoot: undefined,
  requestsHash: undefined,
  blockAccessListHash: undefined,
  slotNumber: undefined,
} as const satisfies Partial<BlockHeader>

/** The header fields beyond the first fifteen. */
export type OptionalHeaderField = keyof typeof NO_OPTIONAL_FIELDS

export const MIN_GAS_LIMIT = 5_000n

/** Minimum and maximum number of header fields. */
export const MIN_HEADER_FIELDS = 15
export const MAX_HEADER_FIELDS = 23

/** 2 MiB: extra data of some ten thousand validators and their seals, and a kilobyte. */
const LIMITS: RlpLimits = { maxDepth: 1, maxItems: 1 + MAX_HEADER_FIELDS, maxBytes: 2 * 1024 * 1024 }
const NONCE_BYTES = 8
const UINT64_BYTES = 8

export function decodeHeader(encoded: Uint8Array): BlockHeader {
  return withFaultContext('INVALID_HEADER', 'Malformed block header.', () =>
    headerFromRlp(listFromRlp(decodeRlp(encoded, LIMITS))),
  )
}

export function encodeHeader(header: BlockHeader): Uint8Array {
  return encodeRlp(headerToRlp(header))
}

/** The hash of the complete header, which identifies blocks of public networks and every block 0. */
export function hashHeader(header: BlockHeader, keccak: Keccak = keccak256): Hash {
  return hashFromBytes(keccak(encodeHeader(header)))
}

function headerFromRlp(fields: readonly RlpItem[]): BlockHeader {
  if (fields.length < MIN_HEADER_FIELDS || fields.length > MAX_HEADER_FIELDS) {
    const sentence = `It has ${fields.length} fields, and not ${MIN_HEADER_FIELDS} to ${MAX_HEADER_FIELDS}.`
    throw new Fault('INVALID_HEADER', { sentence })
  }
  return {
    parentHash: hashFromRlp(fields[0]!),
    ommersHash: hashFromRlp(fields[1]!),
    coinbase: addressFromRlp(fields[2]!),
    stateRoot: hashFromRlp(fields[3]!),
    transactionsRoot: hashFromRlp(fields[4]!),
    receiptsRoot: hashFromRlp(fields[5]!),
    logsBloom: bytesFromRlp(fields[6]!, BLOOM_BYTES),
    difficulty: scalarFromRlp(fields[7]!),
    number: uint64Of(fields[8]!),
    gasLimit: uint64Of(fields[9]!),
    gasUsed: uint64Of(fields[10]!),
    timestamp: uint64Of(fields[11]!),
    extraData: bytesFromRlp(fields[12]!),
    mixHash: hashFromRlp(fields[13]!),
    nonce: bytesToBigint(bytesFromRlp(fields[14]!, NONCE_BYTES)),
    baseFeePerGas: optional(fields[15], scalarFromRlp),
    withdrawalsRoot: optional(fields[16], hashFromRlp),
    blobGasUsed: optional(fields[17], uint64Of),
    excessBlobGas: optional(fields[18], uint64Of),
    parentBeaconBlockRoot: optional(fields[19], hashFromRlp),
    requestsHash: optional(fields[20], hashFromRlp),
    blockAccessListHash: optional(fields[21], hashFromRlp),
    slotNumber: optional(fields[22], uint64Of),
  }
}

function headerToRlp(header: BlockHeader): RlpItem {
  return [
    hashToBytes(header.parentHash),
    hashToBytes(header.ommersHash),
    addressToBytes(header.coinbase),
    hashToBytes(header.stateRoot),
    hashToBytes(header.transactionsRoot),
    hashToBytes(header.receiptsRoot),
    header.logsBloom,
    rlpScalar(header.difficulty),
    rlpScalar(header.number),
    rlpScalar(header.gasLimit),
    rlpScalar(header.gasUsed),
    rlpScalar(header.timestamp),
    header.extraData,
    hashToBytes(header.mixHash),
    bigintToBytes(header.nonce, NONCE_BYTES),
    ...optionalFieldsToRlp(header),
  ]
}

function optionalFieldsToRlp(header: BlockHeader): Uint8Array[] {
  const names = Object.keys(NO_OPTIONAL_FIELDS) as OptionalHeaderField[]
  const fields = names.map((name) => header[name])
  const firstAbsent = fields.indexOf(undefined)
  const present = firstAbsent === -1 ? fields : fields.slice(0, firstAbsent)
  const rest = fields.slice(present.length)
  assert(
    rest.every((field) => field === undefined),
    'The first absent field of a header is its end.',
  )
  return present.map((field) => (typeof field === 'string' ? hashToBytes(field) : rlpScalar(field ?? 0n)))
}

function uint64Of(item: RlpItem): bigint {
  return scalarFromRlp(item, UINT64_BYTES)
}

function optional<Value>(item: RlpItem | undefined, decode: (item: RlpItem) => Value): Value | undefined {
  return item === undefined ? undefined : decode(item)
}
