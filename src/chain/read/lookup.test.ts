import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, LOGGER, openTestChain, RICH } from '#chain/chain.fixture.ts'
import { encodeBlock } from '#types/block/block.ts'
import type { Hash } from '#types/hash.ts'
import { Lookup } from './lookup.ts'

test('a stored block is found by number and by hash, with all that belongs to it', async () => {
  const chain = await openTestChain()
  const transactions = [call(0), call(1, LOGGER)]
  await extend(chain, transactions)
  const lookup = new Lookup(chain.store)
  const { hash } = chain.head
  assert.equal(lookup.headNumber(), 1)
  assert.equal(lookup.header(hash)?.hash, hash)
  const known = lookup.block(1)!
  assert.deepEqual(known, lookup.block(hash))
  assert.equal(known.size, encodeBlock(known.block).length)
  assert.equal(new Lookup(chain.store).transactionHash(hash, 1), transactions[1]!.hash)
  assert.deepEqual(
    lookup.receipts(1)?.map(({ sender, outcome }) => [sender, outcome]),
    [
      [RICH, 1],
      [RICH, 1],
    ],
  )
  assert.deepEqual(
    lookup.callTrees(1)?.map(({ frames }) => frames[0]?.to),
    transactions.map(({ to }) => to),
  )
  assert.deepEqual(lookup.callTreesAt(1, [1])?.get(1), lookup.callTrees(1)?.[1])
  const found = lookup.transactionInBlock(transactions[1]!.hash)
  assert.deepEqual([found?.index, found?.known.hash], [1, hash])
})

test('one transaction and one receipt are the same alone, again and among all of their block', async () => {
  const chain = await openTestChain()
  const transactions = Array.from({ length: 6 }, (_, nonce) => call(nonce, nonce % 2 === 0 ? LOGGER : RICH))
  await extend(chain, transactions)
  const whole = new Lookup(chain.store)
  const { block } = whole.block(1)!
  const receipts = whole.receipts(1)!
  for (const [index, transaction] of block.transactions.entries()) {
    const lookup = new Lookup(chain.store)
    for (let visit = 0; visit < 3; visit++) {
      const found = lookup.transactionInBlock(transaction.hash)!
      assert.deepEqual(found, { known: { hash: chain.head.hash, header: block.header }, index, transaction })
      const { receipt, before } = lookup.receiptAt(found.known, index)!
      assert.deepEqual(receipt, receipts[index])
      assert.equal(before.gasUsed, receipts[index - 1]?.cumulativeGasUsed ?? 0n)
      assert.equal(before.logs, receipts.slice(0, index).flatMap(({ logs }) => logs).length)
    }
    assert.deepEqual(lookup.blockWith(transaction.hash)?.known, whole.block(1))
  }
  assert.equal(whole.receiptAt(chain.head, 6), undefined)
  assert.equal(new Lookup(chain.store).receiptAt(chain.head, 6), undefined)
})

test('unknown blocks and transactions are undefined', async () => {
  const chain = await openTestChain()
  const lookup = new Lookup(chain.store)
  const nobody = `0x${'99'.repeat(32)}` as Hash
  assert.equal(lookup.block(1), undefined)
  assert.equal(lookup.block(nobody), undefined)
  assert.equal(lookup.transactionInBlock(nobody), undefined)
  assert.equal(lookup.receipts(nobody), undefined)
  assert.equal(lookup.callTreesAt(0, [0])?.get(0), undefined)
  assert.deepEqual(lookup.receipts(0), [])
})

test('a rewound block is found by its hash, but its transactions are not', async () => {
  const chain = await openTestChain()
  const transaction = call(0)
  await extend(chain, [transaction])
  const { hash } = chain.head
  await chain.unwind(0)
  const lookup = new Lookup(chain.store)
  assert.equal(lookup.block(hash)?.block.transactions.length, 1)
  assert.equal(lookup.isCanonical(hash), false)
  assert.equal(lookup.block(1), undefined)
  assert.equal(lookup.transactionInBlock(transaction.hash), undefined)
})
