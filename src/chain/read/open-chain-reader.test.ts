import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openChainOnDisk } from '#chain/chain.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { Fault } from '#types/fault.ts'
import type { PinnedState } from './chain-view.ts'
import { openChainReader } from './open-chain-reader.ts'

/** Changes of the chain in the random test. */
const STEPS = 60
const KEPT_STATES = 8

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

test('a reader that counts batches confirms a state exactly if one that reads the head does', async (t) => {
  const { chain, reading, head } = await openChainOnDisk(t)
  const counting = await openChainReader(reading, head())
  const asking = await openChainReader({ ...reading, writes: undefined }, head())
  t.after(() => Promise.all([counting.close(), asking.close()]))
  const random = createSeededRandom(11)
  const states: (readonly [counting: PinnedState, asking: PinnedState])[] = []
  let refusals = 0
  for (let step = 0; step < STEPS; step++) {
    const { number } = chain.announcedHead
    const isReorg = number > 0 && random.randomBelow(10) < 3
    const change = isReorg ? chain.unwind(number - 1) : extend(chain, [])
    // The batch may become visible between any two of these.
    for (const [counted, asked] of states) if (!isConfirmed(asked)) assert.equal(isConfirmed(counted), false)
    await change
    for (const [counted, asked] of states) {
      assert.equal(isConfirmed(counted), isConfirmed(asked))
      if (!isConfirmed(asked)) refusals += 1
    }
    const now = chain.announcedHead.number
    states.push([counting.view.stateAt(now), asking.view.stateAt(now)])
    if (states.length > KEPT_STATES) states.shift()
  }
  assert.ok(refusals > 0)
})

function isConfirmed(state: PinnedState): boolean {
  try {
    state.confirm()
    return true
  } catch (error) {
    assert.ok(isStateUnavailable(error))
    return false
  }
}

function isStateUnavailable(error: unknown): boolean {
  return error instanceof Fault && error.kind === 'STATE_UNAVAILABLE'
}
