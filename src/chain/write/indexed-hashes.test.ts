import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTestChain } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { openStoreReader } from '#store/open-store.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import type { Chain } from './create-chain.ts'
import { allAnswers, growChain, moverOf, SEGMENT_BLOCKS } from './move-history.fixture.ts'

/** Enough for one index of four segments and one segment without. */
const BLOCKS = 5 * SEGMENT_BLOCKS + 5
const INDEX = '000000000000-000000000032.hashes'

async function movedChain(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-hashes-'))
  const chain = await openIn(folder)
  t.after(async () => {
    await chain.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await growChain(chain, BLOCKS)
  const before = await allAnswers(chain.store)
  const segments = join(folder, 'segments')
  assert.equal(await moverOf(chain).moveAll(), true)
  assert.deepEqual(META.hashed.read(chain.store.kv), [4 * SEGMENT_BLOCKS])
  return { folder, chain, before, segments, index: join(segments, INDEX) }
}

async function openIn(folder: string): Promise<Chain> {
  return openTestChain({}, await openLevelKv(folder, { createIfMissing: true }))
}

test('hashes of moved blocks are found in an index', async (t) => {
  const { chain, before, segments } = await movedChain(t)
  assert.deepEqual(await allAnswers(chain.store), before)
  const lookup = new Lookup(chain.store)
  const { hash, block } = lookup.block(3)!
  // Only the segment of block 3 is left: others were asked if there were no index.
  for (const name of readdirSync(segments)) {
    if (name !== INDEX && name !== '000000000000.segment' && name !== '000000000032.segment')
      rmSync(join(segments, name))
  }
  const cold = new Lookup(chain.store)
  assert.equal(chain.store.numberOf(hashToBytes(hash)), 3)
  assert.equal(cold.transactionInBlock(block.transactions[0]!.hash)?.known.hash, hash)
  assert.equal(cold.transactionInBlock(hashFromBytes(new Uint8Array(32).fill(0x12))), undefined)
})

test('while an index is missing or damaged, the segments answer, and the mover makes it again', async (t) => {
  const { chain, before, index, folder } = await movedChain(t)
  const good = readFileSync(index)
  const damages: (() => void)[] = [
    () => rmSync(index),
    () => writeFileSync(index, good.subarray(0, -1)),
    () => writeFileSync(index, new Uint8Array(0)),
    () => writeFileSync(index, good.fill(7, 8, 20)),
  ]
  for (const damage of damages) {
    damage()
    const reader = await openStoreReader({ path: folder, historyBlocks: 512 })
    assert.deepEqual(await allAnswers(reader), before)
    await reader.close()
  }
  rmSync(index)
  await moverOf(chain).moveAll()
  assert.ok(readdirSync(join(folder, 'segments')).includes(INDEX))
  assert.deepEqual(await allAnswers(chain.store), before)
})

test('readers use a larger index as soon as it has replaced smaller ones', async (t) => {
  const { chain, segments, folder } = await movedChain(t)
  const reader = await openStoreReader({ path: folder, historyBlocks: 512 })
  t.after(() => reader.close())
  const { hash } = new Lookup(chain.store).block(1)!
  const bytes = hashToBytes(hash)
  assert.equal(reader.numberOf(bytes), 1)
  await growChain(chain, 12 * SEGMENT_BLOCKS)
  await moverOf(chain).moveAll()
  assert.deepEqual(META.hashed.read(chain.store.kv), [16 * SEGMENT_BLOCKS])
  assert.deepEqual(
    readdirSync(segments).filter((name) => name.endsWith('.hashes')),
    ['000000000000-000000000128.hashes'],
  )
  assert.equal(reader.numberOf(bytes), 1)
})

test('a damaged index among four is made again from its segments', async (t) => {
  const { chain, index, segments } = await movedChain(t)
  const bytes = readFileSync(index)
  bytes[10]! ^= 1
  writeFileSync(index, bytes)
  await growChain(chain, 12 * SEGMENT_BLOCKS)
  const before = await allAnswers(chain.store)
  await moverOf(chain).moveAll()
  assert.deepEqual(META.hashed.read(chain.store.kv), [16 * SEGMENT_BLOCKS])
  assert.deepEqual(await allAnswers(chain.store), before)
  assert.equal(readdirSync(segments).filter((name) => name.endsWith('.hashes')).length, 1)
})

test('blocks move although a damaged segment prevents an index', async (t) => {
  const { chain, segments } = await movedChain(t)
  await growChain(chain, 4 * SEGMENT_BLOCKS)
  writeFileSync(join(segments, '000000000032.segment'), 'not a segment')
  const end = chain.store.past.mark()!.end
  await assert.rejects(moverOf(chain).moveAll(), { kind: 'SEGMENT_DAMAGED' })
  assert.ok(chain.store.past.mark()!.end > end)
})

test('transactions of dropped blocks are unknown, although an index has their hashes', async (t) => {
  const { chain } = await movedChain(t)
  const transaction = new Lookup(chain.store).block(1)!.block.transactions[0]!.hash
  await chain.store.dropMoved(4 * SEGMENT_BLOCKS, () => true)
  assert.equal(new Lookup(chain.store).transactionInBlock(transaction), undefined)
})
