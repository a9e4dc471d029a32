import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { frameRecord, isTornWrite, MAX_RECORD_BYTES, recordAt } from './votes-frames.ts'

const HEAD_BYTES = 12
const framed = (record: Uint8Array): Uint8Array => frameRecord(record, keccak256)
const isTorn = (bytes: Uint8Array, offset = 0): boolean => isTornWrite(bytes, offset, keccak256)
/** A list of this many bytes, like an entry. */
const list = (content: number): Uint8Array => encodeRlpList([new Uint8Array(content).fill(1)])

function withLength(frame: Uint8Array, length: number): Uint8Array {
  const changed = Uint8Array.from(frame)
  new DataView(changed.buffer).setUint32(0, length)
  return changed
}

test('entries follow one another', () => {
  const bytes = concatBytes(framed(list(3)), framed(list(70)))
  const first = recordAt(bytes, 0, keccak256)
  deepStrictEqual(first?.record, list(3))
  deepStrictEqual(recordAt(bytes, first.end, keccak256), { record: list(70), end: bytes.length })
  strictEqual(recordAt(bytes, bytes.length, keccak256), undefined)
})

test('an entry with a wrong length field is found by its RLP length', () => {
  for (const content of [0, 1, 3, 54, 55, 56, 300, 70_000]) {
    const frame = framed(list(content))
    strictEqual(isTorn(withLength(frame, frame.length)), false, `${content} bytes`)
    strictEqual(isTorn(frame.subarray(0, -1)), true, `${content} bytes, cut`)
  }
})

test('an incomplete header is torn, and an impossible header is damage', () => {
  for (const bytes of [HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 8]) {
    strictEqual(isTorn(new Uint8Array(bytes).fill(0xff)), bytes < HEAD_BYTES, `${bytes} bytes`)
  }
  const longest = withLength(new Uint8Array(20).fill(0xff), MAX_RECORD_BYTES)
  strictEqual(isTorn(longest), true)
  strictEqual(isTorn(withLength(longest, MAX_RECORD_BYTES + 1)), false)
})

test('many zeros are unwritten sectors, and few may belong to the entry', () => {
  // The last sector contains only zeros of the entry.
  const endingIn = (zeros: number): Uint8Array => {
    const record = new Uint8Array(512 - HEAD_BYTES + zeros).fill(1, 0, 512 - HEAD_BYTES)
    const frame = framed(record)
    frame[5]! ^= 1
    return frame
  }
  strictEqual(isTorn(endingIn(31)), false)
  strictEqual(isTorn(endingIn(32)), true)
})

test('data that looks like very many entries is not hashed forever and is damage', () => {
  let hashed = 0
  const neverEqual = (bytes: Uint8Array): Uint8Array => {
    hashed += bytes.length
    return new Uint8Array(32).fill(0xee)
  }
  // A third of its offsets have the length 0x010101.
  const bytes = new Uint8Array(4 * 1024 * 1024).fill(1)
  for (let at = 0; at < bytes.length; at += 4) bytes[at] = 0
  strictEqual(isTornWrite(withLength(bytes, MAX_RECORD_BYTES), 0, neverEqual), false)
  ok(hashed > MAX_RECORD_BYTES && hashed <= 4 * MAX_RECORD_BYTES, `${hashed} bytes hashed`)
})
