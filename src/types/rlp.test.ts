import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fault } from './fault.ts'
import { formatDigits, parseData } from './hex.ts'
import {
  bytesFromRlp,
  DEFAULT_MAX_DEPTH,
  decodeRlp,
  encodedRlpItems,
  encodeRlp,
  encodeRlpList,
  encodeRlpShared,
  encodeTypedRlp,
  listFromRlp,
  type RlpItem,
  rlpHeaderLength,
  rlpItemEnd,
  rlpListHeader,
  rlpListStart,
  rlpScalar,
  scalarFromRlp,
} from './rlp.ts'

const MEGABYTE = 1024 * 1024

const items: fc.Arbitrary<RlpItem> = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 6 },
    fc.uint8Array({ maxLength: 80 }),
    fc.uint8Array({ minLength: 1, maxLength: 1 }),
    fc.array(tie('item'), { maxLength: 6 }),
  ),
})).item

function refuses(hex: string, offset: number, sentence: RegExp): void {
  assert.throws(
    () => decodeRlp(parseData(hex)),
    (fault: Fault) =>
      fault.kind === 'INVALID_RLP' && fault.data.offset === offset && sentence.test(fault.data.sentence),
    hex,
  )
}

test('an encoded item decodes to itself', () => {
  fc.assert(fc.property(items, (item) => assert.deepEqual(decodeRlp(encodeRlp(item)), item)))
})

test('an item is encoded the same in shared memory and after a type', () => {
  const long = new Uint8Array(20_000)
  for (const item of [Uint8Array.of(1), [], [Uint8Array.of(0x80), [long]], [long.subarray(0, 300)]]) {
    const encoded = encodeRlp(item)
    assert.deepEqual(encodeRlpShared(item), encoded)
    assert.deepEqual(encodeTypedRlp(2, item), Uint8Array.of(2, ...encoded))
  }
})

test('any bytes that decode encode to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
      let item: RlpItem
      try {
        item = decodeRlp(bytes)
      } catch {
        return
      }
      assert.deepEqual(encodeRlp(item), bytes)
    }),
    { numRuns: 2000 },
  )
})

test('lengths around each change of form survive', () => {
  for (const length of [0, 1, 2, 55, 56, 255, 256, 65_535, 65_536, 16_777_000]) {
    const bytes = new Uint8Array(length).fill(0xaa)
    const decoded = decodeRlp(encodeRlp(bytes))
    assert.ok(decoded instanceof Uint8Array && decoded.length === length)
  }
  const list = [new Uint8Array(70_000), [new Uint8Array(300)]]
  assert.deepEqual(decodeRlp(encodeRlp(list)), list)
})

test('byte strings are views into the input', () => {
  const input = encodeRlp([new Uint8Array(40), Uint8Array.of(1)])
  for (const item of listFromRlp(decodeRlp(input))) {
    assert.ok(item instanceof Uint8Array && item.buffer === input.buffer)
  }
})

test('encodings with a shorter form are refused', () => {
  refuses('0x8100', 0, /below 0x80 stands for itself/)
  refuses('0x817f', 0, /below 0x80 stands for itself/)
  refuses(`0xb837${'00'.repeat(55)}`, 0, /length of 55 has a shorter form/)
  refuses(`0xf837${'00'.repeat(55)}`, 0, /length of 55 has a shorter form/)
  refuses(`0xb90038${'00'.repeat(56)}`, 0, /leading zero/)
})

test('lengths that reach beyond the input or the list are refused', () => {
  refuses('0x', 0, /an item is missing/)
  refuses('0x81', 0, /length 1 is more than the 0 bytes/)
  refuses('0xb9ff', 0, /the length is cut off/)
  refuses('0xffffffffffffffffff', 0, /more than the 0 bytes/)
  refuses('0xbf0f00000000000002ffff', 0, /more than the 2 bytes/)
  refuses('0xc28201', 1, /length 2 is more than the 1 bytes/)
  refuses('0xc2c20100', 1, /length 2 is more than the 1 bytes/)
})

test('bytes after the item are refused', () => {
  refuses('0x0000', 1, /bytes follow/)
  refuses('0xc000', 1, /bytes follow/)
})

test('each limit is exact', () => {
  const nested = (depth: number): RlpItem => (depth === 0 ? [] : [nested(depth - 1)])
  assert.ok(decodeRlp(encodeRlp(nested(DEFAULT_MAX_DEPTH - 1))))
  assert.throws(() => decodeRlp(encodeRlp(nested(DEFAULT_MAX_DEPTH))), /deeper than the limit/)
  assert.ok(decodeRlp(Uint8Array.of(0xc2, 1, 1), { maxItems: 3, maxBytes: 3, maxDepth: 1 }))
  assert.throws(() => decodeRlp(Uint8Array.of(0xc2, 1, 1), { maxItems: 2 }), /more items than the limit/)
  assert.throws(
    () => decodeRlp(Uint8Array.of(0xc2, 1, 1), { maxBytes: 2 }),
    /3 bytes are more than the limit/,
  )
  assert.throws(() => decodeRlp(Uint8Array.of(0xc0), { maxDepth: 0 }), /deeper than the limit/)
  assert.throws(() => decodeRlp(Uint8Array.of(0xc0), { maxDepth: 5000 }), { name: 'AssertionFailure' })
})

/** Nested lists of one item, as deep as fits into a megabyte. */
function nestedBomb(): Uint8Array {
  const bytes = new Uint8Array(MEGABYTE)
  let start = bytes.length
  for (let payload = 0; start > 5; payload = bytes.length - start) {
    const lengthBytes = payload <= 55 ? 0 : payload < 256 ? 1 : payload < 65_536 ? 2 : 3
    start -= 1 + lengthBytes
    bytes[start] = lengthBytes === 0 ? 0xc0 + payload : 0xf7 + lengthBytes
    for (let index = 0; index < lengthBytes; index++) {
      bytes[start + lengthBytes - index] = (payload >> (8 * index)) & 0xff
    }
  }
  return bytes.subarray(start)
}

/** One list of a megabyte that repeats the same item. */
function wideBomb(...item: number[]): Uint8Array {
  const payload = MEGABYTE - (MEGABYTE % item.length)
  const bytes = new Uint8Array(payload + 4)
  bytes.set([0xfa, payload >> 16, (payload >> 8) & 0xff, payload & 0xff])
  for (let offset = 4; offset < bytes.length; offset += item.length) bytes.set(item, offset)
  return bytes
}

test('a malicious megabyte costs under 50 ms and 20 MB', () => {
  const bombs: Record<string, Uint8Array> = {
    'nested lists': nestedBomb(),
    'nothing but list headers': new Uint8Array(MEGABYTE).fill(0xc1),
    'nothing but long headers': new Uint8Array(MEGABYTE).fill(0xf8),
    'empty lists': wideBomb(0xc0),
    'empty strings': wideBomb(0x80),
    'single bytes': wideBomb(0x01),
    'strings of one byte': wideBomb(0x81, 0xff),
    'lists of lists': wideBomb(0xc3, 0xc0, 0xc0, 0xc0),
  }
  for (const [name, bomb] of Object.entries(bombs)) {
    // Uses the best processor time of ten, because other work does not count; and the highest memory, because a
    // collection during the run hides some.
    let bestMs = Number.POSITIVE_INFINITY
    let mostBytes = 0
    for (let run = 0; run < 10; run++) {
      const heapBefore = process.memoryUsage().heapUsed
      const before = process.cpuUsage()
      assert.throws(() => decodeRlp(bomb), { kind: 'INVALID_RLP' }, name)
      bestMs = Math.min(bestMs, process.cpuUsage(before).user / 1_000)
      mostBytes = Math.max(mostBytes, process.memoryUsage().heapUsed - heapBefore)
    }
    assert.ok(bestMs < 50, `${name}: ${bestMs} ms`)
    assert.ok(mostBytes < 20 * MEGABYTE, `${name}: ${mostBytes} bytes`)
  }
})

test('a number is big-endian without leading zeros, and zero is empty', () => {
  assert.equal(formatDigits(rlpScalar(0)), '')
  assert.equal(formatDigits(rlpScalar(1024)), '0400')
  assert.equal(formatDigits(rlpScalar(2n ** 64n)), '010000000000000000')
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(scalarFromRlp(rlpScalar(value)), value)
    }),
  )
})

test('a number with a leading zero, too many bytes or the shape of a list is refused', () => {
  assert.throws(() => scalarFromRlp(Uint8Array.of(0)), /without leading zeros/)
  assert.throws(() => scalarFromRlp(new Uint8Array(33).fill(1)), /at most 32 bytes/)
  assert.throws(() => scalarFromRlp(Uint8Array.of(1, 0), 1), /at most 1 bytes/)
  assert.throws(() => scalarFromRlp([]), { kind: 'INVALID_RLP' })
})

test('an item of the wrong shape or length is refused with the expected form', () => {
  assert.throws(() => bytesFromRlp([[], []]), /a list of 2 items where a byte string should be/)
  assert.throws(() => bytesFromRlp(new Uint8Array(3), 4), /3 bytes where 4 bytes should be/)
  assert.throws(() => listFromRlp(new Uint8Array(3)), /3 bytes where a list should be/)
  assert.throws(() => listFromRlp([], 1), /a list of 0 items where a list of 1 items should be/)
})

test('the encoded items of a list are views that make up the list again', () => {
  fc.assert(
    fc.property(items, (item) => {
      const encoded = encodeRlp([item, [item], new Uint8Array(60)])
      const views = [...encodedRlpItems(encoded)]
      assert.deepEqual(views[0], encodeRlp(item))
      assert.equal(views[1]!.buffer, encoded.buffer)
      assert.deepEqual(encodeRlpList(views), encoded)
      assert.equal(rlpItemEnd(encoded, rlpListStart(encoded)), rlpListStart(encoded) + views[0]!.length)
    }),
  )
})

test('the header of a list precedes its items', () => {
  for (const length of [0, 1, 55, 56, 255, 256, 70_000]) {
    const encoded = encodeRlpList([new Uint8Array(length)])
    assert.deepEqual(encoded.subarray(0, encoded.length - length), rlpListHeader(length))
    assert.equal(rlpHeaderLength(encoded[0]!), encoded.length - length)
  }
})

test('items are refused at their headers as they are when decoded', () => {
  const all = (bytes: readonly number[]) => () => [...encodedRlpItems(Uint8Array.from(bytes))]
  for (const bytes of [
    [],
    [0x80],
    [0x01],
    [0xc1],
    [0xc1, 0xc1],
    [0xc0, 0x00],
    [0xc2, 0x81, 0x7f],
    [0xc3, 0xb8, 0x01, 0x00],
    [0xc2, 0xf8, 0x00],
    [0xf8, 0x01, 0x00],
  ]) {
    assert.throws(all(bytes), { name: 'Fault', kind: 'INVALID_RLP' })
  }
  assert.throws(() => [...encodedRlpItems(Uint8Array.of(0xc2, 1, 2), 1)], /more than 1 items/)
  assert.deepEqual(all([0xc0])(), [])
})
