import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { it } from 'node:test'
import { concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { frameRecord, isTornWrite, MAX_RECORD_BYTES, recordAt } from './votes-frames.ts'

const HEAD_BYTES = 12
const framed = (record: Uint8Array): Uint8Array => frameRecord(record, keccak256)
const isTorn = (bytes: Uint8Array, offset = 0): boolean => isTornWrite(bytes, offset, keccak256)
/** A list of so many bytes, which is what a record is. */
const list = (content: number): Uint8Array => encodeRlpList([new Uint8Array(content).fill(1)])

function withLength(frame: Uint8Array, length: number): Uint8Array {
  const changed = Uint8Array.from(frame)
  new DataView(changed.buffer).setUint32(0, length)
  return changed
}

it('records lie one behind another', () => {
  const bytes = concatBytes(framed(list(3)), framed(list(70)))
  const first = recordAt(bytes, 0, keccak256)
  deepStrictEqual(first?.record, list(3))
  deepStrictEqual(recordAt(bytes, first.end, keccak256), { record: list(70), end: bytes.length })
  strictEqual(recordAt(bytes, bytes.length, keccak256), undefined)
})

it('a record of any length is known by its own length where that of its frame is wrong', () => {
  for (const content of [0, 1, 3, 54, 55, 56, 300, 70_000]) {
    const frame = framed(list(content))
    strictEqual(isTorn(withLength(frame, frame.length)), false, `${content} bytes`)
    strictEqual(isTorn(frame.subarray(0, -1)), true, `${content} bytes, cut`)
  }
})

it('less than a head is torn, and a head that no record has is damage', () => {
  for (const bytes of [HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 8]) {
    strictEqual(isTorn(new Uint8Array(bytes).fill(0xff)), bytes < HEAD_BYTES, `${bytes} bytes`)
  }
  const longest = withLength(new Uint8Array(20).fill(0xff), MAX_RECORD_BYTES)
  strictEqual(isTorn(longest), true)
  strictEqual(isTorn(withLength(longest, MAX_RECORD_BYTES + 1)), false)
})

it('zeros are sectors that were not written if they are many; few may be of the record', () => {
  // The last sector of the frame holds nothing but zeros of the record.
  const endingIn = (zeros: number): Uint8Array => {
    const record = new Uint8Array(512 - HEAD_BYTES + zeros).fill(1, 0, 512 - HEAD_BYTES)
    const frame = framed(record)
    frame[5]! ^= 1
    return frame
  }
  strictEqual(isTorn(endingIn(31)), false)
  strictEqual(isTorn(endingIn(32)), true)
})

it('what looks like very many records is not hashed for ever, and is damage', () => {
  let hashed = 0
  const neverEqual = (bytes: Uint8Array): Uint8Array => {
    hashed += bytes.length
    return new Uint8Array(32).fill(0xee)
  }
  // Each third of its offsets has the length 0x010101.
  const bytes = new Uint8Array(4 * 1024 * 1024).fill(1)
  for (let at = 0; at < bytes.length; at += 4) bytes[at] = 0
  strictEqual(isTornWrite(withLength(bytes, MAX_RECORD_BYTES), 0, neverEqual), false)
  ok(hashed > MAX_RECORD_BYTES && hashed <= 4 * MAX_RECORD_BYTES, `${hashed} bytes hashed`)
})
