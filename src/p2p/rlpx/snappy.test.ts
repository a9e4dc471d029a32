import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import { deflate, deflateShared, inflate, inflatedLength } from './snappy.ts'

const seed = Number(process.env.CAIRN_SEED ?? 7)
const MAX = 16 * 1024 * 1024

const refused = (packed: Uint8Array, max = MAX) =>
  assert.throws(
    () => inflate(packed, max),
    (fault: Fault) => fault.kind === 'INVALID_COMPRESSION',
  )

test(`a packed message unpacks to the same bytes (seed ${seed})`, () => {
  const random = createSeededRandom(seed)
  for (const length of [
    0, 1, 15, 16, 17, 59, 60, 61, 62, 255, 256, 257, 4_000, 65_535, 65_536, 65_537, 200_000,
  ]) {
    const chance = random.randomBytes(length)
    const few = chance.map((byte) => byte & 1)
    const runs = chance.map((_, at) => chance[at >> 6]!)
    for (const plain of [chance, few, runs, new Uint8Array(length)]) {
      assert.deepEqual(inflate(deflate(plain), length), plain)
    }
  }
})

test('a message for several connections is packed once, and another one again', () => {
  const [one, other] = [Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 4)]
  const packed = deflateShared(one)
  assert.equal(deflateShared(one), packed)
  assert.deepEqual(inflate(deflateShared(other), 3), other)
  assert.deepEqual(inflate(deflateShared(one), 3), one)
})

test('repetitive data becomes short, and other data hardly longer', () => {
  const zeros = deflate(new Uint8Array(100_000))
  assert.ok(zeros.length < 5_000, `${zeros.length} bytes`)
  const chance = deflate(createSeededRandom(seed).randomBytes(100_000))
  assert.ok(chance.length < 100_100, `${chance.length} bytes`)
})

test('elements of every kind that other encoders write are decoded', () => {
  // Literals with a length of one to four bytes, copies with offsets of one, two and four bytes.
  const text = new TextEncoder().encode('abcdefgh')
  for (const header of ['0xf007', '0xf40700', '0xf8070000', '0xfc07000000']) {
    assert.deepEqual(inflate(concatBytes(parseData(`0x08${header.slice(2)}`), text), 8), text)
  }
  const start = concatBytes(parseData('0x0c1c'), text)
  for (const copy of ['0x0108', '0x0e0800', '0x0f08000000']) {
    const inflated = inflate(concatBytes(start, parseData(copy)), 12)
    assert.equal(new TextDecoder().decode(inflated), 'abcdefghabcd')
  }
})

test('a claimed length is accepted only within the limit and the capacity of the bytes', () => {
  refused(parseData('0xffffffff0f00'))
  refused(parseData('0x8080800100'), 2 ** 24)
  assert.equal(inflatedLength(parseData('0xffffffff0f')).length, 2 ** 32 - 1)
  refused(deflate(new Uint8Array(100)), 99)
})

test('a message that is truncated, lies about its length, or copies from outside is refused', () => {
  refused(new Uint8Array(0))
  refused(parseData('0x80'))
  refused(parseData('0x8080808080'))
  refused(parseData('0x0200'))
  refused(parseData('0x0508aabb'))
  refused(parseData('0x0200aa'))
  refused(parseData('0x0100aa00bb'))
  refused(parseData('0x0500aa0100'))
  refused(parseData('0x0500aa0102'))
  refused(parseData('0x02f0'))
})
