import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { discardBody } from './read-body.ts'

test('an unwanted body leaves no memory behind', async () => {
  const chunks = [4096, 16_000, 65_536].map((bytes) => Buffer.allocUnsafeSlow(bytes))
  const body = Readable.from(chunks)
  discardBody(body)
  await new Promise((resolve) => body.once('end', resolve))
  assert.deepEqual(
    chunks.map(({ length }) => length),
    [0, 0, 0],
  )
})
