import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, openTestChain, RICH } from '#chain/chain.fixture.ts'
import { BlockChanges, readIncluded } from './head-change.ts'

const { head } = await openTestChain()
const TRANSFER = call(0)

test('included transactions are decoded as they were encoded', () => {
  const transactions = [call(3), call(2 ** 50)]
  const list = new BlockChanges()
  list.add(head, () => ({ transactions, senders: [RICH, RICH] }))
  const [{ included }] = list.blocks as [(typeof list.blocks)[number]]
  assert.deepEqual(
    readIncluded(included!),
    transactions.map(({ hash, nonce }) => ({ hash, sender: RICH, nonce })),
  )
})

test('a head change is bounded: beyond the limit, blocks are listed without their transactions, which are not read', () => {
  const transactions = Array.from({ length: 30_000 }, () => TRANSFER)
  const senders = transactions.map(() => RICH)
  const list = new BlockChanges()
  let reads = 0
  for (let block = 0; block < 10; block++) {
    list.add(head, () => {
      reads++
      return { transactions, senders }
    })
  }
  assert.equal(list.blocks.length, 10)
  assert.deepEqual(
    list.blocks.map(({ included }) => included !== undefined),
    [true, true, ...new Array<boolean>(8).fill(false)],
  )
  assert.equal(reads, 3)
})
