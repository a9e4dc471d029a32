/* The keeper of an archive with an S3 server that misbehaves, other archives and damaged files. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { extend, testGenesis } from '#chain/chain.fixture.ts'
import { openIn } from '#chain/ledger/history.fixture.ts'
import { damagedHistoryOf } from '#chain/write/damaged-history.ts'
import { moverOf } from '#chain/write/move-history.fixture.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { noteDamage } from '#store/segments/damage-notes.ts'
import { keccak256 } from '#types/keccak.ts'
import { damage, filesOf, keep, keeperOf, makeFresh, makeMoved, openReader } from './archive.fixture.ts'

const SEGMENTS = ['000000000000.segment', '000000000008.segment', '000000000016.segment']
const OUTLINES = ['000000000000.outline', '000000000008.outline', '000000000016.outline']

test('a fresh node without a folder for segments takes outlines', async (t) => {
  const s3 = await startFakeS3(t)
  const from = await makeMoved(t)
  await keep(from, s3.place)
  const path = await makeFresh(t, from)
  assert.ok(!existsSync(join(path, 'segments')))
  await keep(path, s3.place)
  assert.deepEqual(filesOf(path), OUTLINES)
})

test('local copies stay if the configured archive does not have them, and are uploaded to it', async (t) => {
  const [old, other] = [await startFakeS3(t), await startFakeS3(t)]
  const path = await makeMoved(t)
  await keep(path, old.place)
  other.answer = (request, response) => request.method === 'PUT' && Boolean(response.writeHead(503).end())
  await assert.rejects(keep(path, other.place, 0), { kind: 'HTTP_FAILED' })
  assert.deepEqual(filesOf(path), SEGMENTS)
  other.answer = undefined
  await keep(path, other.place, 0)
  assert.equal(other.objects.size, 3)
  assert.deepEqual(filesOf(path), OUTLINES)
})

test('a damaged outline of an archived range is taken again', async (t) => {
  const s3 = await startFakeS3(t)
  const from = await makeMoved(t)
  await keep(from, s3.place)
  const path = await makeFresh(t, from)
  await keep(path, s3.place)
  damage(path, OUTLINES[1]!)
  const store = await openReader(t, path, s3.place)
  assert.throws(() => store.past.hash(9), { kind: 'SEGMENT_DAMAGED' })
  const keeper = keeperOf(store, s3.place)
  for (let run = 0; run < 2; run++) await keeper.run()
  assert.notEqual(store.past.hash(9), undefined)
  // Each run would verify a noted outline.
  assert.deepEqual(filesOf(path), OUTLINES)
})

test('a damaged outline of blocks that only the archive has is made again from the object that it names', async (t) => {
  const s3 = await startFakeS3(t)
  const path = await makeMoved(t)
  await keep(path, s3.place, 0)
  damage(path, OUTLINES[1]!)
  const store = await openReader(t, path, s3.place)
  assert.throws(() => store.past.hash(9), { kind: 'SEGMENT_DAMAGED' })
  const keeper = keeperOf(store, s3.place, 0)
  const [key, object] = [...s3.objects].find(([name]) => name.includes('/000000000008'))!
  const changed = Buffer.from(object)
  changed[20]! ^= 1
  s3.objects.set(key, changed)
  await assert.rejects(keeper.run(), { kind: 'SEGMENT_DAMAGED' })
  assert.throws(() => store.past.hash(9), { kind: 'SEGMENT_DAMAGED' })
  s3.objects.set(key, object)
  await keeper.run()
  assert.notEqual(store.past.hash(9), undefined)
  assert.deepEqual(filesOf(path), OUTLINES)
})

test('a damaged segment is noted and reported once, and later ones are uploaded', async (t) => {
  const s3 = await startFakeS3(t)
  const path = await makeMoved(t)
  damage(path, SEGMENTS[0]!)
  await assert.rejects(keep(path, s3.place, 0), { kind: 'SEGMENT_DAMAGED' })
  await keep(path, s3.place, 0)
  assert.equal(s3.objects.size, 2)
  assert.deepEqual(filesOf(path), [SEGMENTS[0], `${SEGMENTS[0]}.damaged`, OUTLINES[1], OUTLINES[2]])
})

test('a note of a damaged segment ends without a repair if the archive has the segment', async (t) => {
  const s3 = await startFakeS3(t)
  const path = await makeMoved(t)
  await keep(path, s3.place)
  damage(path, SEGMENTS[1]!)
  const store = await openReader(t, path, s3.place)
  assert.throws(() => store.past.hash(9), { kind: 'SEGMENT_DAMAGED' })
  await keeperOf(store, s3.place, 0).run()
  assert.deepEqual(filesOf(path), OUTLINES)
  // Without an archive thread, the repair from peers clears the note.
  noteDamage(join(path, 'segments'), 8)
  const history = damagedHistoryOf(store, testGenesis(), keccak256)
  assert.deepEqual(history.damaged(), [8])
  const noSource = { headers: async () => assert.fail(), contents: async () => assert.fail() }
  assert.equal(await history.repair(8, noSource, () => false), undefined)
  assert.deepEqual(filesOf(path), OUTLINES)
})

test('worthless objects of a false size, without content or without bytes hide no good one', async (t) => {
  const s3 = await startFakeS3(t)
  const from = await makeMoved(t)
  await keep(from, s3.place)
  const [key] = [...s3.objects.keys()].filter((each) => each.includes('/000000000016'))
  for (let number = 0; number < 10; number++) {
    const fake = key!.replace(/-[0-9a-f]{64}/, `-${String(number).padStart(64, '0')}`)
    s3.objects.set(fake, Buffer.alloc(200))
    s3.listedBytes.set(fake, [200, 2 ** 20, 2 ** 52][number % 3]!)
  }
  const path = await makeFresh(t, from)
  const store = await openReader(t, path)
  const keeper = keeperOf(store, s3.place)
  for (let run = 0; run < 2; run++) await keeper.run()
  assert.deepEqual(filesOf(path), OUTLINES)
})

test('blocks that a node has completely stay on its disk although the archive has the range', async (t) => {
  const s3 = await startFakeS3(t)
  const from = await makeMoved(t, 26)
  const path = await makeFresh(t, from)
  const [chain, own] = [await openIn(from), await openIn(path)]
  for (let block = 0; block < 20; block++) {
    const verdict = await own.importBlock(own.receive(await extend(chain)))
    assert.ok(verdict.ok)
  }
  for (const each of [chain, own]) {
    await moverOf(each).moveAll()
    await each.close()
  }
  await keep(from, s3.place)
  const store = await openReader(t, path)
  for (let run = 0; run < 2; run++) await keeperOf(store, s3.place).run()
  assert.ok(filesOf(path).includes('000000000024.segment'))
  assert.notEqual(store.read('body', 30, store.canonicalHash(30)!), undefined)
})
