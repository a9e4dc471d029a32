import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { concatBytes } from '#types/bytes.ts'
import { openHashIndex } from './hash-indexes.ts'
import { HashIndex, type HashPlace, hashIndexName, writeHashIndex } from './indexed-hashes.ts'
import { mergeHashes, nextMerge, removeOtherIndexes, usableIndexes } from './merge-hashes.ts'
import { GENESIS_HASH, RandomSegmentBlocks, segmentBytes } from './segment.fixture.ts'
import { foldedKey, isDamage, segmentName } from './segment-layout.ts'
import type { SegmentBlock } from './segment-writer.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)
const SEGMENT_BLOCKS = 16
const WORK = { pause: () => undefined, isStopped: () => false }

async function indexBytes(places: readonly HashPlace[], expected = places.length): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  const append = async (bytes: Uint8Array) => void pieces.push(Uint8Array.from(bytes))
  const range = { first: 100, blocks: 50, genesisHash: GENESIS_HASH }
  assert.equal(await writeHashIndex({ append, ...WORK }, range, places, expected), true)
  return concatBytes(...pieces)
}

function indexIn(bytes: Uint8Array): HashIndex {
  return new HashIndex({
    name: 'in memory',
    bytes: bytes.length,
    read: (offset, length) => bytes.subarray(offset, offset + length),
    close: () => {},
  })
}

function randomPlaces(count: number) {
  const random = createSeededRandom(SEED)
  const hashes = Array.from({ length: count }, () => random.randomBytes(32))
  const places = hashes.map((hash) => ({
    key: foldedKey(hash),
    block: 100 + random.randomBelow(50),
    position: random.randomBelow(300) - 1,
  }))
  return { random, hashes, places, sorted: places.toSorted((a, b) => a.key - b.key) }
}

test(`an index of any number of pages finds every hash and no other (CAIRN_SEED=${SEED})`, async () => {
  const { random, hashes, places, sorted } = randomPlaces(3_000)
  for (const expected of [1, 500, 3_000, 100_000]) {
    const index = indexIn(await indexBytes(sorted, expected))
    for (const [at, hash] of hashes.entries()) assert.deepEqual(index.find(hash), [places[at]])
    for (let other = 0; other < 200; other++) assert.deepEqual(index.find(random.randomBytes(32)), [])
    assert.deepEqual([...index.places()], sorted)
  }
})

test('two hashes that fold to the same key are both found', async () => {
  const hash = new Uint8Array(32).fill(9)
  const key = foldedKey(hash)
  const places = [
    { key, block: 100, position: -1 },
    { key, block: 149, position: 7 },
  ]
  assert.deepEqual(indexIn(await indexBytes(places)).find(hash), places)
})

test('an index without hashes finds nothing', async () => {
  assert.deepEqual(indexIn(await indexBytes([])).find(GENESIS_HASH), [])
})

test('a changed or missing byte is reported and never gives another answer', async () => {
  const { hashes, places, sorted } = randomPlaces(200)
  const bytes = await indexBytes(sorted)
  const answers = (changed: Uint8Array): void => {
    const index = indexIn(changed)
    for (const [at, hash] of hashes.entries()) assert.deepEqual(index.find(hash), [places[at]])
  }
  answers(bytes)
  for (let at = 0; at < bytes.length; at++) {
    const changed = Uint8Array.from(bytes)
    changed[at]! ^= 1 << (at % 8)
    try {
      answers(changed)
    } catch (error) {
      assert.ok(isDamage(error), `byte ${at}: ${error}`)
    }
    assert.throws(() => answers(bytes.subarray(0, at)), isDamage)
  }
})

test('segments get indexes in fours, and four indexes of one size become one', () => {
  let sizes: readonly number[] = []
  let written = 0
  for (let segments = 1; segments <= 1_000; segments++) {
    for (let merge = nextMerge(sizes, segments, 1); merge; merge = nextMerge(sizes, segments, 1)) {
      sizes = [...sizes.slice(0, sizes.length - merge.replaced), merge.blocks]
      written += merge.blocks
      assert.equal(merge.first + merge.blocks, sum(sizes))
    }
    assert.ok(segments - sum(sizes) < 4)
    assert.ok(sizes.length <= 3 * Math.ceil(Math.log(segments + 1) / Math.log(4)))
  }
  assert.ok(written <= 1_000 * 5, `${written} segments written`)
})

test(`merged indexes find the blocks and transactions of all segments (CAIRN_SEED=${SEED})`, async (t) => {
  const { folder, blocks } = await segmentsOnDisk(t, 16)
  const sizes = await mergeAll(folder, 16)
  assert.deepEqual(sizes, [16 * SEGMENT_BLOCKS])
  const name = hashIndexName(0, 16 * SEGMENT_BLOCKS)
  assert.deepEqual(
    readdirSync(folder).filter((each) => !each.endsWith('.segment')),
    [name],
  )
  const index = openHashIndex(join(folder, name))
  for (const [block, { hash, transactionHashes }] of blocks.entries()) {
    const found = index.find(hash).map(({ block: number, position }) => [number, position])
    assert.ok(found.some(([number, position]) => number === block && position === -1))
    for (const [at, transaction] of transactionHashes.entries()) {
      assert.ok(index.find(transaction).some((place) => place.block === block && place.position === at))
    }
  }
  index.close()
})

test('indexes from the first missing or damaged one on are not usable', async (t) => {
  const { folder } = await segmentsOnDisk(t, 12)
  const sizes = await mergeAll(folder, 12)
  const size = 4 * SEGMENT_BLOCKS
  assert.deepEqual(sizes, [size, size, size])
  assert.deepEqual(usableIndexes(folder, sizes), sizes)
  const middle = join(folder, hashIndexName(size, size))
  writeFileSync(middle, readFileSync(middle).subarray(1))
  assert.deepEqual(usableIndexes(folder, sizes), [size])
  rmSync(join(folder, hashIndexName(0, size)))
  assert.deepEqual(usableIndexes(folder, sizes), [])
})

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, blocks) => total + blocks, 0)
}

async function segmentsOnDisk(t: TestContext, segments: number) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-hashes-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const random = new RandomSegmentBlocks(createSeededRandom(SEED))
  const blocks: SegmentBlock[] = []
  for (let segment = 0; segment < segments; segment++) {
    const own = Array.from({ length: SEGMENT_BLOCKS }, () => random.next(50))
    const first = segment * SEGMENT_BLOCKS
    writeFileSync(join(folder, segmentName(first)), await segmentBytes(own, first))
    blocks.push(...own)
  }
  return { folder, blocks }
}

async function mergeAll(folder: string, segments: number): Promise<readonly number[]> {
  const options = { folder, genesisHash: GENESIS_HASH, segmentBlocks: SEGMENT_BLOCKS, ...WORK }
  let sizes: readonly number[] = []
  const end = segments * SEGMENT_BLOCKS
  for (
    let merge = nextMerge(sizes, end, SEGMENT_BLOCKS);
    merge;
    merge = nextMerge(sizes, end, SEGMENT_BLOCKS)
  ) {
    assert.equal(await mergeHashes(merge, options), true)
    sizes = [...sizes.slice(0, sizes.length - merge.replaced), merge.blocks]
  }
  removeOtherIndexes(folder, sizes)
  return sizes
}
