/**
 * Reads the usual transactions, types 0 to 2 without access list: each field is checked and read at its place. The general decoder
 * creates an RLP item for each field first, and takes twice as long.
 */
import { type Address, addressFromBytes } from '#types/address.ts'
import { readBigint } from '#types/bytes.ts'
import { hashFromBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Transaction } from './transaction.ts'

const RECIPIENT = -1
const DATA = -2
const ACCESS_LIST = -3
/** The fields of each type in order; a positive number is a scalar of at most so many bytes. */
const FORMS = [
  [8, 32, 8, RECIPIENT, 32, DATA, 32, 32, 32],
  [32, 8, 32, 8, RECIPIENT, 32, DATA, ACCESS_LIST, 1, 32, 32],
  [32, 8, 32, 32, 8, RECIPIENT, 32, DATA, ACCESS_LIST, 1, 32, 32],
] as const
const MAX_FIELDS = 12
const EMPTY_LIST = 0xc0
/** The lowest v of EIP-155, for chain 1. Besu has no chain 0. */
export const MIN_PROTECTED_V = 37n

/** Bounds of the fields of the transaction that is read. */
const starts = new Uint32Array(MAX_FIELDS)
const ends = new Uint32Array(MAX_FIELDS)

/** Returns undefined for other types and for every malformed transaction. */
export function readPlainTransaction(encoded: Uint8Array, keccak: Keccak): Transaction | undefined {
  const first = encoded[0] ?? 0
  if (first >= 0xc0) return findFields(encoded, 0, FORMS[0]) ? legacy(encoded, keccak) : undefined
  if (first === 1) return findFields(encoded, 1, FORMS[1]) ? withAccessList(encoded, keccak) : undefined
  if (first === 2) return findFields(encoded, 1, FORMS[2]) ? feeMarket(encoded, keccak) : undefined
  return undefined
}

function legacy(encoded: Uint8Array, keccak: Keccak): Transaction | undefined {
  const v = scalar(encoded, 6)
  if (v !== 27n && v !== 28n && v < MIN_PROTECTED_V) return undefined
  return {
    type: 0,
    chainId: v >= MIN_PROTECTED_V ? (v - 35n) >> 1n : null,
    nonce: scalar(encoded, 0),
    gasPrice: scalar(encoded, 1),
    gasLimit: scalar(encoded, 2),
    to: recipient(encoded, 3),
    value: scalar(encoded, 4),
    data: view(encoded, 5),
    // 27, 35 and every chain id add up to an odd number for parity 0.
    yParity: (v & 1n) === 1n ? 0 : 1,
    r: scalar(encoded, 7),
    s: scalar(encoded, 8),
    hash: hashFromBytes(keccak(encoded)),
    encoded,
  }
}

function withAccessList(encoded: Uint8Array, keccak: Keccak): Transaction | undefined {
  const yParity = parity(encoded, 8)
  if (yParity === undefined) return undefined
  return {
    type: 1,
    chainId: scalar(encoded, 0),
    nonce: scalar(encoded, 1),
    gasPrice: scalar(encoded, 2),
    gasLimit: scalar(encoded, 3),
    to: recipient(encoded, 4),
    value: scalar(encoded, 5),
    data: view(encoded, 6),
    accessList: [],
    yParity,
    r: scalar(encoded, 9),
    s: scalar(encoded, 10),
    hash: hashFromBytes(keccak(encoded)),
    encoded,
  }
}

function feeMarket(encoded: Uint8Array, keccak: Keccak): Transaction | undefined {
  const yParity = parity(encoded, 9)
  if (yParity === undefined) return undefined
  return {
    type: 2,
    chainId: scalar(encoded, 0),
    nonce: scalar(encoded, 1),
    maxPriorityFeePerGas: scalar(encoded, 2),
    maxFeePerGas: scalar(encoded, 3),
    gasLimit: scalar(encoded, 4),
    value: scalar(encoded, 6),
    data: view(encoded, 7),
    accessList: [],
    to: recipient(encoded, 5),
    yParity,
    r: scalar(encoded, 10),
    s: scalar(encoded, 11),
    hash: hashFromBytes(keccak(encoded)),
    encoded,
  }
}

/** Finds the bounds of each field. Returns false unless the list fills the input and each field has its form. */
function findFields(encoded: Uint8Array, listAt: number, forms: readonly number[]): boolean {
  let at = afterHeader(encoded, listAt, 0xc0)
  if (at === 0 || encoded.length - at !== headerPayload(encoded, listAt, 0xc0)) return false
  for (let field = 0; field < forms.length; field++) {
    if (at >= encoded.length) return false
    const form = forms[field]!
    const first = encoded[at]!
    let end = at + 1
    if (form === ACCESS_LIST) {
      if (first !== EMPTY_LIST) return false
    } else if (first >= 0x80) {
      const from = afterHeader(encoded, at, 0x80)
      if (from === 0) return false
      const length = headerPayload(encoded, at, 0x80)
      end = from + length
      if (end > encoded.length || (length === 1 && encoded[from]! < 0x80)) return false
      at = from
    }
    if (form > 0 && (end - at > form || (end > at && encoded[at] === 0))) return false
    if (form === RECIPIENT && end - at !== 20 && end !== at) return false
    starts[field] = at
    ends[field] = end
    at = end
  }
  return at === encoded.length
}

/** Longer payloads are left to the decoder with limits. */
const MAX_LENGTH_BYTES = 3
const SHORT = 55

/** The offset after the header of a string (0x80) or list (0xc0); 0 if it is another item, not canonical or too long. */
function afterHeader(encoded: Uint8Array, at: number, kind: number): number {
  const code = (encoded[at] ?? 0) - kind
  if (code < 0 || code > SHORT + MAX_LENGTH_BYTES) return 0
  if (code <= SHORT) return at + 1
  const from = at + 1 + code - SHORT
  if (from > encoded.length || encoded[at + 1] === 0) return 0
  return headerPayload(encoded, at, kind) > SHORT ? from : 0
}

/** The length that a header declares. */
function headerPayload(encoded: Uint8Array, at: number, kind: number): number {
  const code = encoded[at]! - kind
  if (code <= SHORT) return code
  let length = 0
  for (let index = at + 1; index <= at + code - SHORT; index++) length = length * 256 + encoded[index]!
  return length
}

function scalar(encoded: Uint8Array, field: number): bigint {
  return readBigint(encoded, starts[field]!, ends[field]!)
}

function view(encoded: Uint8Array, field: number): Uint8Array {
  return encoded.subarray(starts[field]!, ends[field]!)
}

function recipient(encoded: Uint8Array, field: number): Address | null {
  return starts[field] === ends[field] ? null : addressFromBytes(view(encoded, field))
}

/** Returns undefined for a byte above 1. */
function parity(encoded: Uint8Array, field: number): 0 | 1 | undefined {
  if (starts[field] === ends[field]) return 0
  return encoded[starts[field]!] === 1 ? 1 : undefined
}
