/** Bodies of simulated blocks: real transactions that are not executed. The nonce of a block determines them. */
import type { ProposedBlock } from '#consensus/bft/messages.ts'
import { transactionsRoot } from '#types/block/block-roots.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodedRlpItems, encodeRlp, encodeRlpList, rlpScalar } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'

const MAX_TRANSACTIONS = 2
/** Number of different bodies; more would cost hashing and show nothing else. */
const BODIES = 8
const EMPTY_LIST = Uint8Array.of(0xc0)

export interface SimBody {
  readonly transactions: readonly Transaction[]
  readonly transactionsRoot: Hash
  /** The encoded bytes after the header. */
  readonly encoded: Uint8Array
}

const bodies = new Map<number, SimBody>()

export function bodyOf(nonce: number, keccak: Keccak): SimBody {
  const key = nonce % BODIES
  const known = bodies.get(key)
  if (known !== undefined) return known
  const transactions = Array.from({ length: key % (MAX_TRANSACTIONS + 1) }, (_, index) =>
    decodeTransaction(plainTransaction(key * MAX_TRANSACTIONS + index), keccak),
  )
  const list = encodeRlpList(transactions.map(({ encoded }) => encoded))
  const body = {
    transactions,
    transactionsRoot: transactionsRoot(transactions, keccak),
    encoded: concatBytes(list, EMPTY_LIST),
  }
  bodies.set(key, body)
  return body
}

/** Whether the bytes after the header are exactly the body of that nonce. */
export function hasBodyOf(nonce: number, { encoded, accessList }: ProposedBlock, keccak: Keccak): boolean {
  const expected = bodyOf(nonce, keccak).encoded
  return (
    accessList === undefined &&
    equalBytes(encoded.subarray(-expected.length), expected) &&
    isCut(encoded, expected)
  )
}

/** The same header with another body: other transactions, invalid bytes, or an extra list. */
export function withFalseBody(block: ProposedBlock, variant: number, keccak: Keccak): ProposedBlock {
  const [header, transactions, ommers] = [...encodedRlpItems(block.encoded)] as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const others = encodeRlpList(bodyOf(variant, keccak).transactions.map(({ encoded }) => encoded))
  const falseItems = [
    [equalBytes(others, transactions) ? encodeRlpList([plainTransaction(99)]) : others, ommers],
    [encodeRlpList([encodeRlp(Uint8Array.of(1, 2, 3))]), ommers],
    [transactions, ommers, EMPTY_LIST],
    [transactions, encodeRlpList([header])],
  ]
  return { ...block, encoded: encodeRlpList([header, ...falseItems[variant % falseItems.length]!]) }
}

function isCut(encoded: Uint8Array, body: Uint8Array): boolean {
  const [header] = encodedRlpItems(encoded) as Iterable<Uint8Array>
  const start = encoded.length - body.length
  return header !== undefined && header.byteOffset + header.length === encoded.byteOffset + start
}

function plainTransaction(nonce: number): Uint8Array {
  const numbers = [rlpScalar(nonce), rlpScalar(1), rlpScalar(21_000)]
  const signature = [rlpScalar(27), rlpScalar(nonce + 1), rlpScalar(nonce + 1)]
  return encodeRlp([...numbers, new Uint8Array(20).fill(7), rlpScalar(1), new Uint8Array(0), ...signature])
}
