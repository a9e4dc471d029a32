/* Direct edits of the state on a development network: what readers, blocks, replays and rewinds see of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidatesOf, openArchive, SOMEBODY, templateOf, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { openReplay } from '#chain/read/replay.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { hashFromBytes } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import type { Chain } from './create-chain.ts'

const { keccak } = await loadCrypto()
const engine = await createJsEngine()
const ADDRESS = parseAddress('77'.repeat(20))
const BYTES = addressToBytes(ADDRESS)
const WORD = (value: number) =>
  hashFromBytes(Uint8Array.from({ length: 32 }, (_, at) => (at === 31 ? value : 0)))
/** Increments slot 0. */
const COUNTER = parseData('0x6000546001016000556000')

async function openDev(kv = createMemoryKv()) {
  const chain = await openArchive(testGenesis(), kv, { engine, isDevelopment: true })
  const view = createChainView({ store: chain.store, genesis: testGenesis(), keccak })
  return { chain, view, kv }
}

async function build(chain: Chain): Promise<void> {
  const candidates = async function* () {
    yield candidatesOf([])
  }
  const { encoded } = await chain.build(templateOf(chain), { candidates })
  const verdict = await chain.importBlock(chain.receive(encoded), { validation: 'none' })
  assert.ok(verdict.ok, JSON.stringify(verdict))
}

const balanceAt = ({ view }: Awaited<ReturnType<typeof openDev>>, number: number) =>
  view.stateAt(number).account(BYTES)?.balance

test('an edit is visible at once, and the next block contains it', async () => {
  const dev = await openDev()
  const { chain, view } = dev
  await chain.edit([{ address: ADDRESS, balance: 5n, nonce: 3n, code: COUNTER }])
  await chain.edit([{ address: ADDRESS, stateDiff: new Map([[WORD(0), WORD(8)]]) }])
  const check = (number: number): void => {
    const state = view.stateAt(number)
    const account = state.account(BYTES)
    assert.deepEqual([account?.balance, account?.nonce, account?.hasStorage], [5n, 3n, true])
    assert.deepEqual(state.code(account!.codeHash), COUNTER)
    assert.equal(hashFromBytes(state.storage(BYTES, new Uint8Array(32))!), WORD(8))
  }
  check(0)
  await build(chain)
  check(1)
  // The state of block 0 keeps the edits that were made after it, so a call at block 0 does not change.
  check(0)
  const { header } = chain.head
  assert.equal(hashFromBytes(chain.store.headState().root), header.stateRoot)
  assert.equal(hashFromBytes(chain.store.rootAfter(1, new Uint8Array(0)).root), header.stateRoot)
})

test('a replay of a block begins with the edits before it', async () => {
  const { chain, view } = await openDev()
  await chain.edit([{ address: SOMEBODY, balance: 1_000n }])
  await build(chain)
  await chain.edit([{ address: SOMEBODY, balance: 2_000n }])
  const known = view.lookup.block(1)!
  const { session, state } = await openReplay(view, engine, known, {})
  using _ = session
  assert.equal(state.account(addressToBytes(SOMEBODY))?.balance, 1_000n)
  const verdict = await session.finish({ ommers: [], withdrawals: known.block.withdrawals })
  assert.ok(verdict.ok)
  assert.equal(hashFromBytes(view.rootAfter(0, verdict.execution.changes).root), known.block.header.stateRoot)
})

test('a snapshot restores the edits that were pending, and is used once', async () => {
  const dev = await openDev()
  const { chain } = dev
  const first = await chain.snapshot()
  await chain.edit([{ address: ADDRESS, balance: 1n }])
  const second = await chain.snapshot()
  await chain.edit([{ address: ADDRESS, balance: 2n }])
  const third = await chain.snapshot()
  await build(chain)
  await chain.edit([{ address: ADDRESS, balance: 3n }])
  await build(chain)
  assert.equal(balanceAt(dev, 2), 3n)
  assert.equal(await chain.revert(third), true)
  assert.equal(balanceAt(dev, 0), 2n)
  assert.equal(await chain.revert(third), false)
  assert.equal(await chain.revert(second), true)
  assert.equal(balanceAt(dev, 0), 1n)
  await build(chain)
  assert.equal(balanceAt(dev, 1), 1n)
  assert.equal(await chain.revert(first), true)
  assert.equal(balanceAt(dev, 0), undefined)
  await build(chain)
  assert.equal(balanceAt(dev, 1), undefined)
  assert.deepEqual([await chain.revert(second), await chain.revert(99)], [false, false])
  assert.equal(await chain.snapshot(), 4)
})

test('a reopened chain has its edits and snapshots', async () => {
  const first = await openDev()
  await first.chain.edit([{ address: ADDRESS, balance: 1n }])
  const id = await first.chain.snapshot()
  await build(first.chain)
  await first.chain.edit([{ address: ADDRESS, balance: 2n }])
  const again = await openDev(first.kv)
  assert.equal(balanceAt(again, 1), 2n)
  assert.equal(await again.chain.revert(id), true)
  assert.equal(balanceAt(again, 0), 1n)
  await build(again.chain)
  assert.equal(balanceAt(again, 1), 1n)
})

test('a removed block with edits can become the head again', async () => {
  const dev = await openDev()
  const { chain } = dev
  await chain.edit([{ address: ADDRESS, balance: 1n }])
  await build(chain)
  const { hash } = chain.head
  await chain.unwind(0)
  assert.equal(balanceAt(dev, 0), undefined)
  await build(chain)
  assert.equal(balanceAt(dev, 1), undefined)
  const verdict = await chain.setHead(hash, { validation: 'none' })
  assert.ok(verdict.ok, JSON.stringify(verdict))
  assert.equal(balanceAt(dev, 1), 1n)
})

test('the state of other networks cannot be edited', async () => {
  const chain = await openArchive(testGenesis(), createMemoryKv(), { engine })
  await assert.rejects(chain.edit([{ address: ADDRESS, balance: 1n }]), { name: 'AssertionFailure' })
  await assert.rejects(chain.snapshot(), { name: 'AssertionFailure' })
})
