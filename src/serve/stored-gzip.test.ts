import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { STORED_MAX_BYTES, storeGzip } from './stored-gzip.ts'

test('stored text is valid gzip at every length', () => {
  for (const length of [0, 1, 2, 40, 255, 256, 257, 1_023, STORED_MAX_BYTES]) {
    const text = 'x'.repeat(length)
    assert.equal(gunzipSync(storeGzip(text)).toString(), text)
  }
})

test('stored text keeps characters of any length, and half a pair becomes U+FFFD as on a socket', () => {
  const text = '{"result":"é😀\u0000\ud800"}'
  assert.equal(gunzipSync(storeGzip(text)).toString(), Buffer.from(text).toString())
})
