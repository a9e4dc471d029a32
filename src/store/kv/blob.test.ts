import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { decodeBlob, encodeBlob } from './blob.ts'
import { unzstdExpecting } from './unzstd.ts'

test('decoded bytes keep no other memory, in every form and size', () => {
  const random = createSeededRandom(1)
  for (const length of [1, 100, 511, 512, 4_000, 16_384, 20_000, 70_000]) {
    const half = random.randomBytes(length / 2)
    for (const bytes of [Buffer.alloc(length), Buffer.concat([half, half])]) {
      const decoded = decodeBlob(encodeBlob(bytes))
      assert.deepEqual(Buffer.from(decoded), bytes)
      assert.ok(decoded.buffer.byteLength <= length + 1, `${length} bytes keep ${decoded.buffer.byteLength}`)
    }
  }
})

test('content of an expected length is decompressed into memory of its size, and longer content is refused', () => {
  for (const length of [1, 63, 64, 4_000, 65_536, 3_000_000]) {
    const content = Buffer.alloc(length, 'content ')
    const packed = zstdCompressSync(content)
    const unpacked = unzstdExpecting(packed, length)
    assert.deepEqual(Buffer.from(unpacked), content)
    assert.ok(unpacked.buffer.byteLength <= length + 1, `${length} bytes keep ${unpacked.buffer.byteLength}`)
    assert.equal(unzstdExpecting(packed, 2 ** 30).length, length)
    if (length > 1) assert.throws(() => unzstdExpecting(packed, length - 1), { code: 'ERR_BUFFER_TOO_LARGE' })
  }
})
