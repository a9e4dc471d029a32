/* A node whose oldest segments are damaged or missing goes on with the chain. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { call, extend, openTestChain, SOMEBODY, testGenesis } from '#chain/chain.fixture.ts'
import { openIn } from '#chain/ledger/history.fixture.ts'
import { storeFault } from '#store/faults.ts'
import { notedDamage } from '#store/segments/damage-notes.ts'
import { openSegment } from '#store/segments/past-blocks.ts'
import { type Hash, hashToBytes, ZERO_HASH } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import type { Chain } from './create-chain.ts'
import { damagedHistoryOf } from './damaged-history.ts'
import { allAnswers, growChain, headersDown, moverOf } from './move-history.fixture.ts'
import type { BlockSource, SourceContent } from './rebuild-segment.ts'

test('offers and choices of a consensus client are answered although a segment is missing', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const [chain, other] = [await openIn(path), await openTestChain()]
  t.after(() => chain.close())
  t.after(() => other.close())
  await growChain(chain, 30)
  await growChain(other, 30)
  await moverOf(chain).moveAll()
  chain.store.past.close()
  rmSync(join(path, 'segments', '000000000008.segment'))
  const [next, skipped, orphan] = [await extend(other), await extend(other), await extend(other)]
  assert.equal((await chain.offer(chain.receive(next))).ok, true)
  const verdict = await chain.offer(chain.receive(orphan))
  assert.equal(!verdict.ok && verdict.reason, 'UNKNOWN_PARENT')
  const { hash: head } = chain.receive(skipped)
  const chosen = await chain.choose({ head, safe: ZERO_HASH, finalized: ZERO_HASH })
  assert.deepEqual(chosen, { ok: false, reason: 'UNKNOWN' })
})

test('a damaged segment that the merge of hashes finds is noted', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const chain = await openIn(path)
  t.after(() => chain.close())
  await growChain(chain, 30)
  await moverOf(chain).moveAll()
  const file = join(path, 'segments', '000000000000.segment')
  const segment = openSegment(file)
  // After the headers and contents: the index of block hashes.
  const { offset } = [...segment.verify()][2]!
  segment.close()
  const bytes = readFileSync(file)
  bytes[offset]! ^= 1
  writeFileSync(file, bytes)
  await growChain(chain, 10)
  await assert.rejects(moverOf(chain).moveAll(), { kind: 'SEGMENT_DAMAGED' })
  assert.deepEqual(notedDamage(join(path, 'segments')), [0])
})

/** A chain whose segment of the blocks 8 to 15 is missing. */
async function makeDamaged(t: TestContext) {
  const path = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const chain = await openIn(path)
  t.after(() => chain.close())
  await growChain(chain, 30)
  const headers = headersDown(chain, 15, 8)
  const contents = new Map(headers.map(({ hash, header }) => [hash, contentOf(chain, header.number, hash)]))
  await moverOf(chain).moveAll()
  rmSync(join(path, 'segments', '000000000008.segment'))
  const history = damagedHistoryOf(chain.store, testGenesis(), keccak256)
  const repair = (contents: BlockSource['contents']) =>
    history.repair(8, { headers: async () => headers, contents }, () => false)
  return { chain, path, contents, repair }
}

function contentOf({ store }: Chain, number: bigint, hash: Hash): SourceContent {
  const read = (table: 'body' | 'receipts') => store.read(table, Number(number), hashToBytes(hash))!
  return { body: read('body'), receipts: read('receipts') }
}

test('a rebuild asks for no further blocks once those behind a withheld one have 16 MiB', async (t) => {
  const { repair } = await makeDamaged(t)
  const asked: number[][] = []
  const repairing = repair(async (wanted) => {
    asked.push(wanted.map(({ header }) => Number(header.number)))
    const sent = { body: new Uint8Array(8 * 1024 * 1024), receipts: new Uint8Array() }
    // The first one is withheld, and the second one fills the message.
    return wanted.length < 2 ? undefined : wanted.map((_, at) => (at === 1 ? sent : undefined))
  })
  await assert.rejects(repairing, /No peer sent block 8/)
  assert.deepEqual(asked, [[8, 9, 10, 11, 12, 13, 14, 15], [8, 10, 11, 12, 13, 14, 15], [8]])
})

test('a damaged copy of a dictionary fails no read, and is repaired without peers', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const chain = await openIn(path)
  t.after(() => chain.close())
  // Contents of 3 MiB, because short segments have no dictionary.
  const large = new Uint8Array(384 * 1024).fill(1)
  for (let nonce = 0; nonce < 15; nonce++) {
    await extend(chain, [call(nonce, SOMEBODY, 25_000_000n, large)])
  }
  const before = await allAnswers(chain.store)
  await moverOf(chain).moveAll()
  const file = join(path, 'segments', '000000000000.segment')
  const segment = openSegment(file)
  const { offset } = [...segment.verify()].at(-2)!
  segment.close()
  const bytes = readFileSync(file)
  bytes[offset]! ^= 1
  writeFileSync(file, bytes)
  chain.store.past.close()
  assert.deepEqual(await allAnswers(chain.store), before)
  const history = damagedHistoryOf(chain.store, testGenesis(), keccak256)
  assert.deepEqual(history.damaged(), [0])
  const none: BlockSource = { headers: async () => undefined, contents: async () => undefined }
  const repaired = await history.repair(0, none, () => false)
  assert.equal(repaired?.fetched, 0)
  assert.deepEqual(await allAnswers(chain.store), before)
  // A reader had the replaced file open.
  assert.equal(await history.repair(0, none, () => false), undefined)
  assert.deepEqual(await allAnswers(chain.store), before)
  assert.deepEqual(history.damaged(), [])
})

test('a rebuild ends while the database has room for the next block, and leaves no file', async (t) => {
  const { chain, path, contents, repair } = await makeDamaged(t)
  const room = t.mock.method(chain.store.kv, 'requireRoom', () => {
    throw storeFault('DISK_FULL', { sentence: 'The disk is full.' })
  })
  const send: BlockSource['contents'] = async (wanted) => wanted.map(({ hash }) => contents.get(hash))
  await assert.rejects(repair(send), { kind: 'DISK_FULL' })
  assert.ok(!readdirSync(join(path, 'segments')).some((name) => name.includes('000000000008')))
  room.mock.restore()
  assert.equal((await repair(send))?.fetched, 8)
})

test('remains of a rebuild that was killed are removed at the next start', async (t) => {
  const { chain, path } = await makeDamaged(t)
  writeFileSync(join(path, 'segments', '000000000008.segment.rebuilt'), 'remains')
  // A command may have repaired the segment meanwhile, so no rebuild follows.
  damagedHistoryOf(chain.store, testGenesis(), keccak256)
  assert.ok(!readdirSync(join(path, 'segments')).some((name) => name.endsWith('.rebuilt')))
})
