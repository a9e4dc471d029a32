import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { encodeLogEntry, entryAt, isTornWrite, MAX_ENTRY_BYTES } from './signature-log-entries.ts'

const HEAD_BYTES = 12
const encoded = (entry: Uint8Array): Uint8Array => encodeLogEntry(entry, keccak256)
const isTorn = (bytes: Uint8Array, offset = 0): boolean => isTornWrite(bytes, offset, keccak256)
/** A list of this many bytes, like an entry. */
const list = (content: number): Uint8Array => encodeRlpList([new Uint8Array(content).fill(1)])

function withLength(encodedEntry: Uint8Array, length: number): Uint8Array {
  const changed = Uint8Array.from(encodedEntry)
  new DataView(changed.buffer).setUint32(0, length)
  return changed
}

test('entries follow one another', () => {
  const bytes = concatBytes(encoded(list(3)), encoded(list(70)))
  const first = entryAt(bytes, 0, keccak256)
  deepStrictEqual(first?.entry, list(3))
  deepStrictEqual(entryAt(bytes, first.end, keccak256), { entry: list(70), end: bytes.length })
  strictEqual(entryAt(bytes, bytes.length, keccak256), undefined)
})

test('an entry with a wrong length field is found by its RLP length', () => {
  for (const content of [0, 1, 3, 54, 55, 56, 300, 70_000]) {
    const encodedEntry = encoded(list(content))
    strictEqual(isTorn(withLength(encodedEntry, encodedEntry.length)), false, `${content} bytes`)
    strictEqual(isTorn(encodedEntry.subarray(0, -1)), true, `${content} bytes, cut`)
  }
})

test('an incomplete header is torn, and an impossible header is damage', () => {
  for (const bytes of [HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES + 8]) {
    strictEqual(isTorn(new Uint8Array(bytes).fill(0xff)), bytes < HEAD_BYTES, `${bytes} bytes`)
  }
  const longest = withLength(new Uint8Array(20).fill(0xff), MAX_ENTRY_BYTES)
  strictEqual(isTorn(longest), true)
  strictEqual(isTorn(withLength(longest, MAX_ENTRY_BYTES + 1)), false)
})

test('many zeros are unwritten sectors, and few may belong to the entry', () => {
  // The last sector contains only zeros of the entry.
  const endingIn = (zeros: number): Uint8Array => {
    const entry = new Uint8Array(512 - HEAD_BYTES + zeros).fill(1, 0, 512 - HEAD_BYTES)
    const encodedEntry = encoded(entry)
    encodedEntry[5]! ^= 1
    return encodedEntry
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
  strictEqual(isTornWrite(withLength(bytes, MAX_ENTRY_BYTES), 0, neverEqual), false)
  ok(hashed > MAX_ENTRY_BYTES && hashed <= 4 * MAX_ENTRY_BYTES, `${hashed} bytes hashed`)
})
