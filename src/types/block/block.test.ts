import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import type { Fault } from '#types/fault.ts'
import { decodeRlp, encodeRlp, encodeRlpList, type RlpItem } from '#types/rlp.ts'
import { PLAIN_TRANSACTIONS } from '#types/transaction/transaction.fixture.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { encodedBlocks, FULL_HEADER, PLAIN_HEADER } from './block.fixture.ts'
import { type Block, decodeBlock, decodeBody, encodeBlock, encodeBody, encodedTransactions } from './block.ts'
import { encodeHeader } from './block-header.ts'

const transactions = PLAIN_TRANSACTIONS.map((each) => completeTransaction(each, { yParity: 1, r: 1n, s: 2n }))
const withdrawal = { index: 1n, validatorIndex: 2n, address: parseAddress('33'.repeat(20)), amountGwei: 4n }
const BLOCKS: readonly Block[] = [
  { header: PLAIN_HEADER, transactions: [], ommers: [], withdrawals: undefined },
  { header: PLAIN_HEADER, transactions, ommers: [PLAIN_HEADER, FULL_HEADER], withdrawals: undefined },
  { header: FULL_HEADER, transactions, ommers: [], withdrawals: [] },
  { header: FULL_HEADER, transactions, ommers: [], withdrawals: [withdrawal, withdrawal] },
]
const EMPTY_LIST = encodeRlp([])

function refuses(bytes: Uint8Array, sentence: RegExp): void {
  assert.throws(
    () => decodeBlock(bytes),
    (fault: Fault) => fault.kind === 'INVALID_BLOCK' && sentence.test(fault.data.sentence),
  )
}

test('a block survives its encoding', () => {
  for (const block of BLOCKS) {
    assert.deepEqual(decodeBlock(encodeBlock(block)), block)
  }
})

test('a body is a block without its header', () => {
  for (const { header, ...body } of BLOCKS) {
    assert.deepEqual(decodeBody(encodeBody(body)), body)
    const [, ...lists] = decodeRlp(encodeBlock({ header, ...body })) as RlpItem[]
    assert.deepEqual(encodeBody(body), encodeRlp(lists))
  }
})

test('the bytes of transactions are extracted from a body without decoding', () => {
  for (const { header, ...body } of BLOCKS) {
    const encoded = encodedTransactions(encodeBody(body))
    assert.deepEqual(
      encoded,
      body.transactions.map((transaction) => transaction.encoded),
    )
  }
})

test('a block with far more transactions than its gas can pay for is refused', () => {
  const paid = { ...PLAIN_HEADER, gasUsed: 1_000n * 10_500n }
  const many = (count: number) => Array.from({ length: count }, () => transactions[0]!)
  const block = (count: number): Block => ({ ...BLOCKS[0]!, header: paid, transactions: many(count) })
  assert.equal(decodeBlock(encodeBlock(block(2_000))).transactions.length, 2_000)
  refuses(encodeBlock(block(2_001)), /a list has more than 2000 items/)
})

test('a transaction of a block is a view of the bytes it came in', () => {
  const encoded = encodeBlock(BLOCKS[2]!)
  for (const transaction of decodeBlock(encoded).transactions) {
    assert.equal(transaction.encoded.buffer, encoded.buffer)
  }
})

test('consecutive blocks are split one by one', () => {
  const encoded = BLOCKS.map(encodeBlock)
  const found = [...encodedBlocks(concatBytes(...encoded))]
  assert.equal(found.length, encoded.length)
  for (const [index, block] of found.entries()) assert.ok(equalBytes(block, encoded[index]!))
  assert.deepEqual([...encodedBlocks(new Uint8Array(0))], [])
  assert.throws(() => [...encodedBlocks(concatBytes(...encoded).subarray(0, -1))], { kind: 'INVALID_RLP' })
})

test('malformed blocks are refused with the reason', () => {
  const header = encodeHeader(PLAIN_HEADER)
  refuses(new Uint8Array(0), /an item is missing/)
  refuses(EMPTY_LIST, /empty list/)
  refuses(encodeRlp(new Uint8Array(3)), /where a list should be/)
  refuses(encodeRlpList([EMPTY_LIST, EMPTY_LIST, EMPTY_LIST]), /0 fields/)
  refuses(encodeRlpList([header, EMPTY_LIST]), /1 lists/)
  refuses(encodeRlpList([header, EMPTY_LIST, EMPTY_LIST, EMPTY_LIST, EMPTY_LIST]), /more than 4/)
  refuses(concatBytes(encodeBlock(BLOCKS[0]!), EMPTY_LIST), /bytes follow/)
  refuses(encodeBlock(BLOCKS[1]!).subarray(0, -1), /more than the/)
  refuses(new Uint8Array(16 * 1024 * 1024 + 1), /more than the limit/)
})

test('a body with a malformed list is refused', () => {
  const header = encodeHeader(PLAIN_HEADER)
  const [legacy, typed] = transactions
  const withTransaction = (item: Uint8Array): Uint8Array =>
    encodeRlpList([header, encodeRlpList([item]), EMPTY_LIST])
  assert.ok(decodeBlock(withTransaction(legacy!.encoded)))
  assert.ok(decodeBlock(withTransaction(encodeRlp(typed!.encoded))))
  refuses(withTransaction(encodeRlp(legacy!.encoded)), /no type/)
  refuses(withTransaction(encodeRlp(new Uint8Array(0))), /no type/)
  refuses(withTransaction(Uint8Array.of(1)), /Malformed transaction/)
  refuses(encodeRlpList([header, EMPTY_LIST, encodeRlp([[]])]), /0 fields/)
  refuses(encodeRlpList([header, EMPTY_LIST, EMPTY_LIST, encodeRlp([[]])]), /a list of 4 items/)
  refuses(encodeRlpList([header, EMPTY_LIST, encodeRlpList(new Array(17).fill(header))]), /more than 16/)
})
