import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryKv } from './kv/memory-kv.fixture.ts'
import { blockOf, hashOf, openTestStore, transactionHashesOf } from './ledger.fixture.ts'
import type { StoreReader } from './reader.ts'
import type { NewBlock, TracedParties, TraceQuery } from './store.ts'
import type { Store } from './writer.ts'

const ALICE = hashOf('alice').subarray(0, 20)
const BOB = hashOf('bob').subarray(0, 20)
const NOTHING = new Uint8Array(0)

/** Parties with one caller and one callee in these transactions. */
function calls(caller: Uint8Array, callee: Uint8Array, ...transactions: number[]): TracedParties {
  return {
    callers: [{ address: caller, transactions }],
    callees: [{ address: callee, transactions }],
  }
}

async function commit(store: Store, ...parties: (TracedParties | undefined)[]): Promise<NewBlock[]> {
  const blocks: NewBlock[] = []
  for (const block of parties) {
    const number = (store.head()?.number ?? -1) + 1
    const committed = { ...blockOf(store, number, NOTHING), parties: block }
    await store.commitBlocks([committed])
    blocks.push(committed)
  }
  return blocks
}

async function find(store: StoreReader, query: Partial<TraceQuery>): Promise<[number, readonly number[]][]> {
  const found: [number, readonly number[]][] = []
  const whole = { fromBlock: 0, toBlock: 100, callers: [], callees: [], ...query }
  for await (const { number, transactions } of store.tracedTransactions(whole))
    found.push([number, transactions])
  return found
}

test('calls are found by caller, by callee and by both, block by block', async () => {
  const store = await openTestStore(createMemoryKv())
  await commit(store, calls(ALICE, BOB, 0, 3, 200), calls(BOB, ALICE, 1), calls(ALICE, ALICE, 2))
  assert.deepEqual(await find(store, { callers: [ALICE] }), [
    [0, [0, 3, 200]],
    [2, [2]],
  ])
  assert.deepEqual(await find(store, { callees: [BOB] }), [[0, [0, 3, 200]]])
  assert.deepEqual(await find(store, { callers: [ALICE], callees: [ALICE] }), [[2, [2]]])
  assert.deepEqual(await find(store, { callers: [ALICE, BOB], fromBlock: 1, toBlock: 1 }), [[1, [1]]])
  assert.deepEqual(await find(store, { callers: [hashOf('nobody').subarray(0, 20)] }), [])
})

test('the index is complete from the last block without call trees on, also after a rewind', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv)
  await commit(store, calls(ALICE, BOB, 0))
  assert.equal(store.tracedFrom(), 0)
  await commit(store, undefined, calls(ALICE, BOB, 0))
  assert.equal(store.tracedFrom(), 2)
  await store.unwind(0, transactionHashesOf)
  assert.equal(store.tracedFrom(), 1)
  await commit(store, calls(BOB, ALICE, 1))
  assert.equal(store.tracedFrom(), 1)
  assert.deepEqual(await find(store, { callers: [BOB] }), [[1, [1]]])
  const again = await openTestStore(kv.crash())
  assert.equal(again.tracedFrom(), 1)
})

test('call trees that are added later are read, and the index extends down to them', async () => {
  const store = await openTestStore(createMemoryKv())
  const blocks = await commit(store, calls(ALICE, BOB, 0), undefined, undefined, calls(ALICE, BOB, 0))
  const traced = (number: number) => ({
    number,
    hash: blocks[number]!.hash,
    callTrees: Buffer.from(`trees of ${number}`),
    parties: calls(BOB, ALICE, number),
  })
  await assert.rejects(store.addTraces([traced(1)]), /Block 2 is the next/)
  const fresh = await openTestStore(createMemoryKv())
  await commit(fresh, calls(ALICE, BOB, 0), undefined, undefined, calls(ALICE, BOB, 0))
  await fresh.addTraces([traced(2), traced(1)])
  assert.equal(fresh.tracedFrom(), 1)
  assert.equal(Buffer.from(fresh.read('callTrees', 2, blocks[2]!.hash)!).toString(), 'trees of 2')
  assert.deepEqual(await find(fresh, { callers: [BOB] }), [
    [1, [1]],
    [2, [2]],
  ])
})
