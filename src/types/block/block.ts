/** A block, its body, and block files. */

import { Fault, withFaultContext } from '#types/fault.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { decodeRlp, encodedRlpItems, encodeRlp, encodeRlpList, rlpItemEnd, rlpListStart } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { type BlockHeader, decodeHeader, encodeHeader } from './block-header.ts'
import { encodeWithdrawal, type Withdrawal, withdrawalFromRlp } from './withdrawal.ts'

export interface BlockBody {
  readonly transactions: readonly Transaction[]
  readonly ommers: readonly BlockHeader[]
  /** Undefined before Shanghai, when bodies have no such list. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}

export interface Block extends BlockBody {
  readonly header: BlockHeader
}

/** The largest p2p message, 16 MiB; a larger block cannot be sent. */
export const MAX_BLOCK_BYTES = 16 * 1024 * 1024
/** More than fit into that, signed. Decoding this many takes seconds, so it must not happen on the main thread. */
export const MAX_BLOCK_TRANSACTIONS = 250_000
/** Every transaction uses 21,000 gas, and at most half of it is refunded. */
const LEAST_TRANSACTION_GAS = 10_500n
/** This many are decoded even if `gasUsed` is too low, so a small block is refused for its wrong `gasUsed`. */
const UNPAID_TRANSACTIONS = 1_000n
/** The rules allow two, checked elsewhere; this bounds the work. */
export const MAX_DECODED_OMMERS = 16
/** The rules allow 16. */
export const MAX_DECODED_WITHDRAWALS = 4_096

/** Header, transactions, ommers, withdrawals. */
const MAX_BLOCK_ITEMS = 4

/** The result contains views of the input. `known` is the header, if it was decoded before. */
export function decodeBlock(
  encoded: Uint8Array,
  keccak: Keccak = keccak256,
  known?: BlockHeader | undefined,
): Block {
  return asFaultOf('block', encoded, () => {
    const [first, ...body] = encodedRlpItems(encoded, MAX_BLOCK_ITEMS)
    if (first === undefined) throw new Fault('INVALID_BLOCK', { sentence: 'It is an empty list.' })
    const header = known ?? decodeHeader(first)
    return { header, ...bodyFromItems(body, maxTransactions(header), keccak) }
  })
}

/**
 * Returns how many transactions of a block are decoded: as many as its gas can pay for, and some more. Without this
 * limit a peer could make the node decode 250,000 of them.
 */
export function maxTransactions({ gasUsed }: BlockHeader): number {
  const most = gasUsed / LEAST_TRANSACTION_GAS + UNPAID_TRANSACTIONS
  return most < MAX_BLOCK_TRANSACTIONS ? Number(most) : MAX_BLOCK_TRANSACTIONS
}

/** Decodes the header of a block without reading its body. */
export function decodeHeaderIn(encoded: Uint8Array): BlockHeader {
  return asFaultOf('block', encoded, () => {
    const [header] = encodedRlpItems(encoded, MAX_BLOCK_ITEMS)
    if (header === undefined) throw new Fault('INVALID_BLOCK', { sentence: 'It is an empty list.' })
    return decodeHeader(header)
  })
}

/** Decodes a body as peers send it: a list of transactions, ommers and, from Shanghai on, withdrawals. */
export function decodeBody(encoded: Uint8Array, keccak: Keccak = keccak256): BlockBody {
  return asFaultOf('block body', encoded, () =>
    bodyFromItems([...encodedRlpItems(encoded, MAX_BLOCK_ITEMS)], MAX_BLOCK_TRANSACTIONS, keccak),
  )
}

/** Length of the items of an encoded body, without the prefix of their list. */
export function bodyBytesOf(body: Uint8Array): number {
  return body.length - rlpListStart(body)
}

/** The same length in an encoded block: all bytes after the header. */
export function bodyBytesIn(block: Uint8Array): number {
  return asFaultOf('block', block, () => block.length - rlpItemEnd(block, rlpListStart(block)))
}

/** Returns the hashed bytes of each transaction in an encoded body as views, without decoding them. */
export function encodedTransactions(body: Uint8Array): Uint8Array[] {
  return asFaultOf('block body', body, () => splitBody(body, MAX_BLOCK_TRANSACTIONS).transactions)
}

export interface EncodedBody {
  /** Each transaction as the bytes that its hash covers. */
  readonly transactions: Uint8Array[]
  /** The complete encoded list. */
  readonly ommers: Uint8Array
  readonly withdrawals: Uint8Array[] | undefined
}

/** Returns the parts of a body as views, without decoding them. Throws if there are more than `max` transactions. */
export function splitBody(body: Uint8Array, max: number): EncodedBody {
  return splitLists([...encodedRlpItems(body, MAX_BLOCK_ITEMS)], max)
}

/** Does the same for the body in an encoded block. */
export function splitBodyIn(block: Uint8Array, max: number): EncodedBody {
  return splitLists([...encodedRlpItems(block, MAX_BLOCK_ITEMS)].slice(1), max)
}

function splitLists(lists: readonly Uint8Array[], max: number): EncodedBody {
  const [transactions, ommers, withdrawals] = bodyLists(lists)
  return {
    transactions: decodeItems(transactions, max, transactionBytes),
    ommers,
    withdrawals: withdrawals && [...encodedRlpItems(withdrawals, MAX_DECODED_WITHDRAWALS)],
  }
}

export function encodeBlock(block: Block): Uint8Array {
  return encodeRlpList([encodeHeader(block.header), ...bodyItems(block)])
}

/** Encodes a block from an encoded header and body. */
export function joinBlock(header: Uint8Array, body: Uint8Array): Uint8Array {
  return encodeRlpList([header, body.subarray(rlpListStart(body))])
}

export function encodeBody(body: BlockBody): Uint8Array {
  return encodeRlpList(bodyItems(body))
}

function bodyFromItems(items: readonly Uint8Array[], max: number, keccak: Keccak): BlockBody {
  const [transactions, ommers, withdrawals] = bodyLists(items)
  return {
    transactions: decodeItems(transactions, max, (item) => decodeTransaction(transactionBytes(item), keccak)),
    ommers: decodeItems(ommers, MAX_DECODED_OMMERS, decodeHeader),
    withdrawals:
      withdrawals &&
      decodeItems(withdrawals, MAX_DECODED_WITHDRAWALS, (item) => withdrawalFromRlp(decodeRlp(item))),
  }
}

function bodyLists(items: readonly Uint8Array[]): [Uint8Array, Uint8Array, Uint8Array | undefined] {
  const [transactions, ommers, withdrawals] = items
  if (transactions === undefined || ommers === undefined || items.length > 3) {
    throw new Fault('INVALID_BLOCK', { sentence: `Its body has ${items.length} lists, and not 2 or 3.` })
  }
  return [transactions, ommers, withdrawals]
}

function decodeItems<Value>(list: Uint8Array, max: number, decode: (item: Uint8Array) => Value): Value[] {
  const values: Value[] = []
  for (const item of encodedRlpItems(list, max)) values.push(decode(item))
  return values
}

/** In a body, a legacy transaction is a list and a typed one a byte string. */
function transactionBytes(item: Uint8Array): Uint8Array {
  if (item[0]! >= 0xc0) return item
  const bytes = decodeRlp(item, { maxBytes: MAX_BLOCK_BYTES }) as Uint8Array
  if (bytes.length > 0 && bytes[0]! < 0xc0) return bytes
  throw new Fault('INVALID_TRANSACTION', { sentence: 'A byte string in the list has no type before it.' })
}

function bodyItems({ transactions, ommers, withdrawals }: BlockBody): Uint8Array[] {
  const items = [
    encodeRlpList(transactions.map(({ type, encoded }) => (type === 0 ? encoded : encodeRlp(encoded)))),
    encodeRlpList(ommers.map(encodeHeader)),
  ]
  if (withdrawals !== undefined) items.push(encodeRlpList(withdrawals.map(encodeWithdrawal)))
  return items
}

function asFaultOf<Value>(noun: string, encoded: Uint8Array, decode: () => Value): Value {
  return withFaultContext('INVALID_BLOCK', `Malformed ${noun}.`, () => {
    if (encoded.length <= MAX_BLOCK_BYTES) return decode()
    const sentence = `${encoded.length} bytes are more than the limit, ${MAX_BLOCK_BYTES}.`
    throw new Fault('INVALID_BLOCK', { sentence })
  })
}
