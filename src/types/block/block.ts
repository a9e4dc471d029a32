/** A block, its body, and files that hold blocks one after another. */

import { Fault } from '#types/fault.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { decodeRlp, encodedRlpItems, encodeRlp, encodeRlpList, rlpItemEnd, rlpListStart } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { type BlockHeader, decodeHeader, encodeHeader } from './block-header.ts'
import { encodeWithdrawal, type Withdrawal, withdrawalFromRlp } from './withdrawal.ts'

export interface BlockBody {
  readonly transactions: readonly Transaction[]
  readonly ommers: readonly BlockHeader[]
  /** undefined: before Shanghai, where a body has no such list. */
  readonly withdrawals: readonly Withdrawal[] | undefined
}

export interface Block extends BlockBody {
  readonly header: BlockHeader
}

/** The largest p2p message, 16 MiB; a larger block cannot travel. */
export const MAX_BLOCK_BYTES = 16 * 1024 * 1024
/** More than fit in that, signed; decoding as many takes seconds, so that it is not for the main thread. */
export const MAX_BLOCK_TRANSACTIONS = 250_000
/** Every transaction uses 21,000 gas, and at most half of it is refunded. */
const LEAST_TRANSACTION_GAS = 10_500n
/** This many are decoded even if `gasUsed` is too low, so that a small block is refused for its wrong `gasUsed`. */
const UNPAID_TRANSACTIONS = 1_000n
/** The rules allow two, which the chain says; this bounds the work. */
export const MAX_DECODED_OMMERS = 16
/** The rules allow 16. */
export const MAX_DECODED_WITHDRAWALS = 4_096

/** Header, transactions, ommers, withdrawals. */
const MAX_BLOCK_ITEMS = 4

/** The result holds views of the input. */
export function decodeBlock(encoded: Uint8Array, keccak: Keccak = keccak256): Block {
  return asFaultOf('block', encoded, () => {
    const [header, ...body] = encodedRlpItems(encoded, MAX_BLOCK_ITEMS)
    if (header === undefined) throw new Fault('INVALID_BLOCK', { sentence: 'It is an empty list.' })
    const decoded = decodeHeader(header)
    return { header: decoded, ...bodyFromItems(body, maxTransactions(decoded), keccak) }
  })
}

/**
 * Returns how many transactions of a block are decoded: as many as its gas can pay for, and some more. Without this limit
 * a peer could make the node decode 250,000 of them.
 */
export function maxTransactions({ gasUsed }: BlockHeader): number {
  const most = gasUsed / LEAST_TRANSACTION_GAS + UNPAID_TRANSACTIONS
  return most < MAX_BLOCK_TRANSACTIONS ? Number(most) : MAX_BLOCK_TRANSACTIONS
}

/** Its header, and what follows it as it stands: the items of the body. */
export function splitBlock(encoded: Uint8Array): { readonly header: BlockHeader; readonly rest: Uint8Array } {
  return asFaultOf('block', encoded, () => {
    const start = rlpListStart(encoded)
    const end = rlpItemEnd(encoded, start)
    return { header: decodeHeader(encoded.subarray(start, end)), rest: encoded.subarray(end) }
  })
}

/** A body as peers send it: a list of transactions, ommers and, from Shanghai on, withdrawals. */
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
  return block.length - rlpItemEnd(block, rlpListStart(block))
}

/** The bytes that each transaction of an encoded body is hashed by, as views; the transactions are not looked at. */
export function encodedTransactions(body: Uint8Array): Uint8Array[] {
  return asFaultOf('block body', body, () => splitBody(body, MAX_BLOCK_TRANSACTIONS).transactions)
}

export interface EncodedBody {
  /** Each as the bytes that its hash covers. */
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

/** The same of a header and a body that are encoded already. */
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

/** In a body a legacy transaction is a list like others, and one with a type a byte string. */
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
  try {
    if (encoded.length > MAX_BLOCK_BYTES) {
      const sentence = `${encoded.length} bytes are more than the limit, ${MAX_BLOCK_BYTES}.`
      throw new Fault('INVALID_BLOCK', { sentence })
    }
    return decode()
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    const sentence = `The bytes are no ${noun}. ${cause.data.sentence}`
    throw new Fault('INVALID_BLOCK', { sentence }, { cause })
  }
}
