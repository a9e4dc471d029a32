import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keccak256 } from '#types/keccak.ts'
import { StateChangesWriter } from '#types/state-changes.ts'
import { TABLE } from './kv/keys.ts'
import type { Kv } from './kv/kv.ts'
import { createMemoryKv } from './kv/memory-kv.fixture.ts'
import { createSlowKv } from './kv/slow-kv.fixture.ts'
import { blockOf, followingBlock, hashOf, openTestStore, transactionHashesOf } from './ledger.fixture.ts'
import type { StoreReader } from './reader.ts'
import { EMPTY_CODE_HASH, EMPTY_ROOT } from './state/account-record.ts'
import type { LoggedBlocksQuery } from './store.ts'

const alice = hashOf('alice').subarray(0, 20)
const slot = hashOf('slot')

function paying(address: Uint8Array, balance: bigint, value?: Uint8Array): Uint8Array {
  const writer = new StateChangesWriter()
  writer.account(address, 1n, balance, EMPTY_CODE_HASH)
  if (value) writer.storage(address, slot, value)
  return writer.finish()
}

const NOTHING = new Uint8Array(0)

async function collect(store: StoreReader, query: Partial<LoggedBlocksQuery>): Promise<number[]> {
  const numbers: number[] = []
  const whole = { fromBlock: 0, toBlock: 100, addresses: [], topics: [], ...query }
  for await (const number of store.blocksWithLogs(whole)) numbers.push(number)
  return numbers
}

test('the parts of a block are read back by number, by hash and by transaction', async () => {
  const store = await openTestStore(createMemoryKv())
  assert.equal(store.head(), undefined)
  assert.deepEqual(store.headState().root, EMPTY_ROOT)
  await store.commitBlocks([blockOf(store, 0, paying(alice, 5n))])
  const block = blockOf(store, 1, paying(alice, 7n))
  await store.commitBlocks([block])
  assert.deepEqual(store.head(), { number: 1, hash: new Uint8Array(block.hash), timestamp: 10, unwinds: 0 })
  assert.deepEqual(store.canonicalHash(1), new Uint8Array(block.hash))
  assert.equal(store.numberOf(block.hash), 1)
  for (const table of ['header', 'body', 'receipts', 'callTrees'] as const) {
    assert.equal(Buffer.compare(store.read(table, 1, block.hash)!, block[table]!), 0)
  }
  assert.deepEqual([...store.transactions(block.transactionHashes[0]!)], [{ number: 1, index: 0 }])
  assert.equal(store.stateAt(0).account(alice)?.balance, 5n)
  assert.equal(store.stateAt(1).account(alice)?.balance, 7n)
  assert.deepEqual(store.addressOf(keccak256(alice)), new Uint8Array(alice))
})

test('missing values are undefined', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, NOTHING)])
  const unknown = hashOf('unknown')
  assert.equal(store.numberOf(unknown), undefined)
  assert.equal(store.read('header', 0, unknown), undefined)
  assert.equal(store.read('header', 2 ** 60, unknown), undefined)
  assert.equal(store.canonicalHash(-1), undefined)
  assert.deepEqual([...store.transactions(unknown)], [])
  assert.equal(store.slotOf(unknown), undefined)
  assert.equal(store.stateAt(0).account(alice), undefined)
  assert.equal(store.stateAt(0).code(unknown), undefined)
})

test('blocks that are not durable yet are read through their states', async () => {
  const store = await openTestStore(createMemoryKv())
  const first = blockOf(store, 0, paying(alice, 5n, hashOf('value')))
  const second = followingBlock(store, first.state, 1, paying(alice, 6n))
  const committed = store.commitBlocks([first])
  const third = followingBlock(store, second.state, 2, paying(alice, 7n, new Uint8Array(32)))
  assert.equal(third.state.account(alice)?.balance, 7n)
  assert.equal(third.state.storage(alice, slot), undefined)
  assert.deepEqual(second.state.storage(alice, slot), hashOf('value'))
  assert.equal(store.head(), undefined)
  await committed
  await store.commitBlocks([second, third])
  assert.equal(store.headState().account(alice)?.balance, 7n)
  assert.deepEqual(store.stateAt(1).storage(alice, slot), hashOf('value'))
})

test('several candidates for the next block coexist until one is committed', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, paying(alice, 5n))])
  const head = store.headState()
  const one = followingBlock(store, head, 1, paying(alice, 6n), 'one')
  const two = followingBlock(store, head, 1, paying(alice, 7n), 'two')
  const again = followingBlock(store, head, 1, paying(alice, 6n), 'again')
  assert.deepEqual(one.state.root, again.state.root)
  assert.notDeepEqual(one.state.root, two.state.root)
  await store.commitBlocks([two])
  assert.equal(store.stateAt(1).account(alice)?.balance, 7n)
  assert.throws(() => one.state.account(hashOf('bob').subarray(0, 20)), { name: 'AssertionFailure' })
  assert.throws(() => store.deriveState(head, NOTHING), { name: 'AssertionFailure' })
  await assert.rejects(store.commitBlocks([one]), { name: 'AssertionFailure' })
  await store.commitBlocks([blockOf(store, 2, NOTHING)])
})

test('rewound blocks stay as siblings, and their transactions leave the index', async () => {
  const store = await openTestStore(createMemoryKv())
  for (const number of [0, 1, 2])
    await store.commitBlocks([blockOf(store, number, paying(alice, BigInt(number)))])
  const head = store.head()!
  await store.setMarks({ safe: head, finalized: { number: 1, hash: store.canonicalHash(1)! } })
  const pinned = store.stateAt(2)
  await store.unwind(1, transactionHashesOf)
  assert.equal(store.head()?.number, 1)
  assert.equal(store.head()?.timestamp, 10)
  assert.equal(store.canonicalHash(2), undefined)
  assert.equal(store.numberOf(head.hash), 2)
  assert.ok(store.read('body', 2, head.hash))
  assert.deepEqual([...store.transactions(hashOf('transaction 2'))], [])
  assert.equal(store.headState().account(alice)?.balance, 1n)
  assert.equal(store.safe(), undefined)
  assert.equal(store.finalized()?.number, 1)
  assert.throws(() => pinned.confirm(), { kind: 'STATE_UNAVAILABLE' })
  await store.commitBlocks([blockOf(store, 2, paying(alice, 9n), 'other')])
  assert.notDeepEqual(store.canonicalHash(2), head.hash)
})

test('a state is not confirmed when the chain left its block and came back to it', async () => {
  const store = await openTestStore(createMemoryKv())
  for (const number of [0, 1])
    await store.commitBlocks([blockOf(store, number, paying(alice, BigInt(number)))])
  const pinned = store.stateAt(1)
  await store.unwind(0, transactionHashesOf)
  assert.equal(pinned.account(alice)?.balance, 0n)
  await store.commitBlocks([blockOf(store, 1, paying(alice, 1n))])
  assert.throws(() => pinned.confirm(), { kind: 'STATE_UNAVAILABLE' })
  assert.doesNotThrow(() => store.stateAt(1).confirm())
})

test('repeated reads of a state return the same object until a rewind', async () => {
  const store = await openTestStore(createMemoryKv())
  for (const number of [0, 1])
    await store.commitBlocks([blockOf(store, number, paying(alice, BigInt(number)))])
  const state = store.stateAt(1)
  assert.equal(store.stateAt(1), state)
  await store.commitBlocks([blockOf(store, 2, paying(alice, 2n))])
  assert.equal(store.stateAt(1), state)
  assert.equal(state.account(alice)?.balance, 1n)
  await store.unwind(0, transactionHashesOf)
  await store.commitBlocks([blockOf(store, 1, paying(alice, 9n), 'other')])
  const other = store.stateAt(1)
  assert.notEqual(other, state)
  assert.equal(other.account(alice)?.balance, 9n)
})

test('siblings are found by hash and are not canonical', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, NOTHING)])
  const sibling = {
    number: 4,
    hash: hashOf('sibling'),
    timestamp: 1,
    header: slot,
    body: slot,
    receipts: undefined,
  }
  await store.writeSiblings([{ ...sibling, callTrees: undefined }])
  assert.equal(store.numberOf(sibling.hash), 4)
  assert.deepEqual(store.read('header', 4, sibling.hash), slot)
  assert.equal(store.read('receipts', 4, sibling.hash), undefined)
  assert.equal(store.canonicalHash(4), undefined)
})

test('blocks with logs are found by address and by topic in any position', async () => {
  const store = await openTestStore(createMemoryKv())
  for (let number = 0; number <= 30; number++) await store.commitBlocks([blockOf(store, number, NOTHING)])
  const logger = hashOf('logger 1').subarray(0, 20)
  const topic = hashOf('topic 2')
  assert.deepEqual(await collect(store, { fromBlock: 3, toBlock: 10, addresses: [logger] }), [4, 7, 10])
  assert.deepEqual(await collect(store, { addresses: [logger], topics: [[], [topic]] }), [7, 22])
  assert.deepEqual(await collect(store, { addresses: [slot.subarray(0, 20)] }), [])
  assert.deepEqual(await collect(store, { fromBlock: 5, toBlock: 8 }), [5, 6, 7, 8])
  assert.deepEqual(await collect(store, { fromBlock: 9, toBlock: 8 }), [])
})

test('a recreated account loses its old storage', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, paying(alice, 5n, hashOf('value')))])
  const writer = new StateChangesWriter()
  writer.destroyed(alice)
  writer.account(alice, 0n, 1n, EMPTY_CODE_HASH)
  const block = blockOf(store, 1, writer.finish())
  assert.equal(block.state.storage(alice, slot), undefined)
  await store.commitBlocks([block])
  assert.equal(store.headState().account(alice)?.hasStorage, false)
  assert.deepEqual(store.stateAt(0).storage(alice, slot), hashOf('value'))
  assert.equal(store.stateAt(1).storage(alice, slot), undefined)
})

test('on a full disk the commit fails, everything after is refused and the last block is intact', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv)
  await store.commitBlocks([blockOf(store, 0, paying(alice, 5n))])
  kv.failAfter(0)
  await assert.rejects(store.commitBlocks([blockOf(store, 1, paying(alice, 6n))]), { kind: 'DISK_FULL' })
  kv.failAfter(100)
  await assert.rejects(store.commitBlocks([blockOf(store, 2, NOTHING)]), { kind: 'DISK_FULL' })
  const reopened = await openTestStore(kv.crash())
  assert.equal(reopened.head()?.number, 0)
  assert.equal(reopened.headState().account(alice)?.balance, 5n)
})

test('a closed store refuses to write', async () => {
  const store = await openTestStore(createMemoryKv())
  await store.commitBlocks([blockOf(store, 0, NOTHING)])
  const block = blockOf(store, 1, NOTHING)
  await store.close()
  await assert.rejects(store.commitBlocks([block]), { kind: 'STORE_CLOSED' })
})

test('the code of a contract is read back', async () => {
  const store = await openTestStore(createMemoryKv())
  const code = Uint8Array.of(0x60, 0x01)
  const writer = new StateChangesWriter()
  writer.code(keccak256(code), code)
  writer.account(alice, 1n, 0n, keccak256(code))
  await store.commitBlocks([blockOf(store, 0, writer.finish())])
  assert.deepEqual(store.stateAt(0).code(keccak256(code)), code)
})

test('a batch is written only after the previous one is durable', async () => {
  const kv = createSlowKv(createMemoryKv())
  const store = await openTestStore(kv)
  const held = kv.hold()
  const first = store.commitBlocks([blockOf(store, 0, paying(alice, 1n))])
  await held
  const second = store.commitBlocks([blockOf(store, 1, paying(alice, 2n))])
  await new Promise(setImmediate)
  assert.equal(store.head(), undefined)
  kv.release()
  await Promise.all([first, second])
  assert.equal(store.head()?.number, 1)
})

test('a rewound block leaves no history behind', async () => {
  const kv = createMemoryKv()
  const store = await openTestStore(kv)
  await store.commitBlocks([blockOf(store, 0, paying(alice, 1n, hashOf('value')))])
  const before = await historyKeys(kv)
  await store.commitBlocks([blockOf(store, 1, paying(alice, 2n, hashOf('other')))])
  assert.notDeepEqual(await historyKeys(kv), before)
  await store.unwind(0, transactionHashesOf)
  assert.deepEqual(await historyKeys(kv), before)
})

async function historyKeys(kv: Kv): Promise<string[]> {
  const keys: string[] = []
  for (const table of [TABLE.accountHistory, TABLE.storageHistory]) {
    const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1), limit: 1_000 }
    for await (const [key] of kv.range(range)) keys.push(Buffer.from(key).toString('hex'))
  }
  return keys
}
