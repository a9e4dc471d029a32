import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { TracedAddress } from '#store/store.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import {
  GENESIS_HASH,
  RandomSegmentBlocks,
  SMALL_DICTIONARY,
  segmentBytes,
  segmentIn,
} from './segment.fixture.ts'
import type { Segment } from './segment.ts'
import { damagedSegment, decodeDirectory, decodeFooter, FOOTER_BYTES, foldedKey } from './segment-layout.ts'
import type { SegmentBlock } from './segment-writer.ts'

const seed = Number(process.env.CAIRN_SEED ?? 1)
const FIRST = 1000

/** Everything that a segment answers about its blocks; each answer is a value or a fault. */
function* answers(segment: Segment, blocks: readonly SegmentBlock[], world: RandomSegmentBlocks) {
  for (const [position, block] of blocks.entries()) {
    const number = FIRST + position
    yield () => segment.hash(number)
    for (const table of ['header', 'body', 'receipts', 'callTrees'] as const)
      yield () => segment.read(table, number, block.hash)
    yield () => segment.numberOf(block.hash)
    for (const hash of block.transactionHashes) yield () => segment.transactions(hash)
  }
  for (const address of world.addresses) {
    yield () => segment.blocksWithLogs('logAddress', address)
    yield () => segment.tracedTransactions('caller', address)
    yield () => segment.tracedTransactions('callee', address)
  }
  for (const topic of world.topics) yield () => segment.blocksWithLogs('logTopic', topic)
}

function* expected(blocks: readonly SegmentBlock[], world: RandomSegmentBlocks): Generator<unknown> {
  const numbers = (has: (block: SegmentBlock) => boolean) =>
    blocks.flatMap((block, position) => (has(block) ? [FIRST + position] : []))
  const traced = (of: (block: SegmentBlock) => readonly TracedAddress[], address: Uint8Array) =>
    blocks.flatMap((block, position) => {
      const found = of(block).find((each) => equalBytes(each.address, address))
      return found === undefined || found.transactions.length === 0
        ? []
        : [{ number: FIRST + position, transactions: found.transactions }]
    })
  for (const [position, block] of blocks.entries()) {
    yield block.hash
    yield* [block.header, block.body, block.receipts, block.callTrees]
    yield FIRST + position
    for (const index of block.transactionHashes.keys()) yield [{ number: FIRST + position, index }]
  }
  for (const address of world.addresses) {
    yield numbers(({ logAddresses }) => logAddresses.includes(address))
    yield traced(({ parties }) => parties!.callers, address)
    yield traced(({ parties }) => parties!.callees, address)
  }
  for (const topic of world.topics) yield numbers(({ logTopics }) => logTopics.includes(topic))
}

test('a segment returns the blocks and index entries that were written', async () => {
  const random = createSeededRandom(seed)
  for (const [count, maxPartBytes] of [
    [1, 10],
    [40, 300],
    [300, 3_000],
    [5, 200_000],
    [40, 200_000],
  ] as const) {
    const world = new RandomSegmentBlocks(random)
    const blocks = Array.from({ length: count }, () => world.next(maxPartBytes))
    const segment = segmentIn(await segmentBytes(blocks, FIRST))
    assert.deepEqual(
      [segment.first, segment.count, segment.genesisHash],
      [FIRST, count, Uint8Array.from(GENESIS_HASH)],
    )
    const found = [...answers(segment, blocks, world)].map((ask) => ask())
    assert.deepEqual(found, [...expected(blocks, world)], `seed ${seed}, ${count} blocks`)
    assert.equal(segment.numberOf(random.randomBytes(32)), undefined)
    assert.deepEqual(segment.transactions(random.randomBytes(32)), [])
    assert.ok([...segment.verify()].length > 0)
  }
})

test('a segment has no part of a block with another hash', async () => {
  const world = new RandomSegmentBlocks(createSeededRandom(seed))
  const segment = segmentIn(await segmentBytes([world.next(), world.next()]))
  assert.equal(segment.read('header', 0, segment.hash(1)), undefined)
  assert.equal(segment.read('edits', 0, segment.hash(0)), undefined)
})

test('transactions and blocks whose hashes fold to the same key are all found', async () => {
  const world = new RandomSegmentBlocks(createSeededRandom(seed))
  const one = new Uint8Array(32).fill(1, 0, 6)
  const other = new Uint8Array(32).fill(1, 6, 12)
  assert.equal(foldedKey(one), foldedKey(other))
  const blocks = [one, other].map((hash) => ({ ...world.next(), hash, transactionHashes: [hash, other] }))
  const segment = segmentIn(await segmentBytes(blocks))
  assert.deepEqual([segment.numberOf(one), segment.numberOf(other)], [0, 1])
  assert.deepEqual(
    segment.transactions(one).map(({ number, index }) => [number, index]),
    [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ],
  )
})

test('an index with more keys than a page has is searched in one page', async () => {
  const random = createSeededRandom(seed)
  const world = new RandomSegmentBlocks(random)
  const hashes = Array.from({ length: 20 }, () => Array.from({ length: 200 }, () => random.randomBytes(32)))
  const blocks = hashes.map((transactionHashes) => ({ ...world.next(), transactionHashes }))
  const segment = segmentIn(await segmentBytes(blocks))
  for (const [number, list] of hashes.entries()) {
    for (const [index, hash] of list.entries()) {
      assert.ok(segment.transactions(hash).some((place) => place.number === number && place.index === index))
    }
  }
})

function directoryOf(bytes: Uint8Array) {
  const damaged = damagedSegment('in memory')
  const footer = decodeFooter(bytes.subarray(-FOOTER_BYTES), bytes.length, damaged)
  const { offset, storedBytes } = footer.directory
  return decodeDirectory(bytes.subarray(offset, offset + storedBytes), footer, damaged)
}

test('with one damaged copy of the dictionary all contents are there, with two none', async () => {
  const world = new RandomSegmentBlocks(createSeededRandom(seed))
  const blocks = Array.from({ length: 30 }, () => world.next(8_000))
  const bytes = await segmentBytes(blocks, FIRST, { bytes: 20_000, fromBytes: 100_000 })
  const copies = [0, 1].map((at) => directoryOf(bytes).dictionary.at(at))
  const contents = () => {
    const segment = segmentIn(bytes)
    return blocks.map(({ hash }, at) => segment.read('body', FIRST + at, hash))
  }
  for (const { offset } of copies) {
    bytes[offset]! ^= 1
    assert.deepEqual(
      contents(),
      blocks.map(({ body }) => body),
    )
    assert.throws(() => [...segmentIn(bytes).verify()], { kind: 'SEGMENT_DAMAGED' })
    bytes[offset]! ^= 1
  }
  for (const { offset } of copies) bytes[offset]! ^= 1
  assert.throws(contents, { kind: 'SEGMENT_DAMAGED' })
  assert.deepEqual(segmentIn(bytes).hash(FIRST), blocks[0]!.hash)
})

test('a dictionary makes a segment with few addresses smaller', async () => {
  const random = createSeededRandom(seed)
  const addresses = Array.from({ length: 10 }, () => random.randomBytes(200))
  const world = new RandomSegmentBlocks(random)
  const blocks = Array.from({ length: 200 }, () => {
    const body = concatBytes(random.randomBytes(650), ...addresses)
    return { ...world.next(), body }
  })
  const [without, withOne] = [
    await segmentBytes(blocks, FIRST, { bytes: 0, fromBytes: Number.POSITIVE_INFINITY }),
    await segmentBytes(blocks, FIRST, { bytes: 8_000, fromBytes: 100_000 }),
  ]
  assert.ok(withOne.length < without.length, `${withOne.length} of ${without.length} bytes`)
})

test('a segment of version 1, which has no dictionary, is read', async () => {
  const world = new RandomSegmentBlocks(createSeededRandom(seed))
  const blocks = [world.next(), world.next()]
  const bytes = Buffer.from(await segmentBytes(blocks, FIRST))
  const footer = bytes.length - FOOTER_BYTES
  // Its directory lacks the last list, which is empty here.
  const old = Buffer.concat([bytes.subarray(0, footer - 1), bytes.subarray(footer)])
  const end = old.length - FOOTER_BYTES
  const offset = old.readUIntBE(end + 42, 6)
  old.writeUInt32BE(end - offset, end + 48)
  old.writeUInt32BE(crc32(old.subarray(offset, end)), end + 52)
  old[end + 56] = 1
  old.writeUInt32BE(crc32(old.subarray(end, end + 57)), end + 57)
  const found = [...answers(segmentIn(old), blocks, world)].map((ask) => ask())
  assert.deepEqual(found, [...expected(blocks, world)])
})

for (const [kind, sizes] of [
  ['without', undefined],
  ['with', SMALL_DICTIONARY],
] as const) {
  test(`a changed byte of a segment ${kind} dictionary is reported, and no answer differs`, async () => {
    const world = new RandomSegmentBlocks(createSeededRandom(seed))
    const blocks = Array.from({ length: 3 }, () => world.next(200))
    const bytes = await segmentBytes(blocks, FIRST, sizes)
    assert.equal(directoryOf(bytes).dictionary.length, sizes ? 2 : 0)
    const right = [...expected(blocks, world)]
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Uint8Array.from(bytes)
      damaged[at]! ^= 1 << (at % 8)
      let reports = 0
      const ask = <Value>(question: () => Value): Value | undefined => {
        try {
          return question()
        } catch (error) {
          assert.ok(error instanceof Fault && error.kind === 'SEGMENT_DAMAGED', `byte ${at}: ${error}`)
          reports++
          return undefined
        }
      }
      const segment = ask(() => segmentIn(damaged))
      if (segment !== undefined) {
        const questions: (() => unknown)[] = [...answers(segment, blocks, world)]
        for (const [index, question] of questions.entries()) {
          const before = reports
          const found = ask(question)
          if (reports === before) assert.deepEqual(found, right[index], `byte ${at}`)
        }
        ask(() => [...segment.verify()])
      }
      assert.ok(reports > 0, `The change of byte ${at} is not reported.`)
    }
  })
}

test('a cut or extended segment is refused', async () => {
  const world = new RandomSegmentBlocks(createSeededRandom(seed))
  const bytes = await segmentBytes([world.next(60)])
  for (let length = 0; length < bytes.length; length++)
    assert.throws(() => segmentIn(bytes.subarray(0, length)), { kind: 'SEGMENT_DAMAGED' })
  assert.throws(() => segmentIn(Uint8Array.from([...bytes, 0])), { kind: 'SEGMENT_DAMAGED' })
})
