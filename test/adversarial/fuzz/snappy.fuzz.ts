import assert from 'node:assert/strict'
import { deflate, inflate } from '#p2p/rlpx/snappy.ts'
import { equalBytes } from '#types/bytes.ts'
import type { FuzzTarget } from './target.ts'

const MAX_BYTES = 1024 * 1024
const text = new TextEncoder().encode(
  'messages of peers, messages of peers, messages of other peers; '.repeat(20),
)

const target: FuzzTarget = {
  name: 'snappy',
  seeds: () => [deflate(text), deflate(new Uint8Array(70_000)), deflate(text.subarray(0, 40)), text],
  run(input) {
    assert.ok(
      equalBytes(inflate(deflate(input), input.length), input),
      'Compressed data does not decompress to the input.',
    )
    assert.ok(inflate(input, MAX_BYTES).length <= MAX_BYTES, 'Decompressed data exceeds the limit.')
  },
}

export default target
