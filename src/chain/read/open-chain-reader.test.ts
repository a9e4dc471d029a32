import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openChainOnDisk } from '#chain/chain.fixture.ts'
import { openChainReader } from './open-chain-reader.ts'

async function setUp(t: TestContext) {
  const { chain, reading, head } = await openChainOnDisk(t)
  const reader = await openChainReader(reading, head())
  t.after(() => reader.close())
  return { chain, reader, headOf: head }
}

test('the head is the announced one, and never an older one', async (t) => {
  const { chain, reader, headOf } = await setUp(t)
  await extend(chain, [call(0)])
  assert.equal(reader.view.head().header.number, 0n)
  const first = headOf(2)
  reader.announce(first)
  assert.equal(reader.view.head().header.number, 1n)
  await extend(chain, [call(1)])
  reader.announce(headOf(3))
  reader.announce(first)
  assert.equal(reader.view.head().header.number, 2n)
  assert.equal(reader.announced().sequence, 3)
})

test('a reader that caught up with the store ignores older announcements', async (t) => {
  const { chain, reader, headOf } = await setUp(t)
  await extend(chain, [call(0)])
  reader.announce(headOf(2))
  await chain.unwind(0)
  const unwound = headOf(3)
  await extend(chain, [call(0), call(1)])
  const replaced = headOf(4)

  reader.view.catchUp()
  assert.equal(reader.view.head().hash, replaced.hash)
  reader.announce(unwound)
  assert.equal(reader.view.head().hash, replaced.hash)
  reader.announce(replaced)
  await extend(chain, [])
  assert.equal(reader.view.head().hash, replaced.hash)
})
