import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ChunkPlace,
  damagedSegment,
  decodeDirectory,
  encodeDirectory,
  type Footer,
  MAGIC,
} from './segment-layout.ts'

const MIB = 1024 * 1024
const PLACE: ChunkPlace = { first: 0, offset: MAGIC.length, storedBytes: 100, rawBytes: MIB, crc: 0 }
const NONE = {
  blockHash: [],
  transaction: [],
  logAddress: [],
  logTopic: [],
  caller: [],
  callee: [],
  dictionary: [],
}

function decode(headers: readonly ChunkPlace[], contents: readonly ChunkPlace[] = []) {
  const bytes = encodeDirectory({ ...NONE, headers, contents })
  const footer = { isOutline: false, mayHaveDictionary: true, directory: { offset: 1000 } } as Footer
  return decodeDirectory(bytes, footer, damagedSegment('object'))
}

test('a directory whose chunks overlap is refused', () => {
  const next = { ...PLACE, first: 1, offset: MAGIC.length + 100 }
  assert.equal(decode([PLACE, next]).headers.length, 2)
  const refused = { kind: 'SEGMENT_DAMAGED', message: /impossible chunk/ }
  assert.throws(() => decode([PLACE, { ...next, offset: next.offset - 1 }]), refused)
  assert.throws(() => decode([PLACE, { ...PLACE, first: 1 }]), refused)
})

test('a chunk of headers decompresses to at most 64 MiB, and one of contents to more', () => {
  const large = { ...PLACE, rawBytes: 64 * MIB + 1 }
  assert.equal(decode([{ ...large, rawBytes: 64 * MIB }], [large]).contents.length, 1)
  assert.throws(() => decode([large]), { kind: 'SEGMENT_DAMAGED', message: /impossible chunk/ })
})
