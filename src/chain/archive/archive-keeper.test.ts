/* The keeper of an archive with an S3 server that misbehaves, other archives and damaged files. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { filesOf, keep, makeFresh, makeMoved } from './archive.fixture.ts'

const OUTLINES = ['000000000000.outline', '000000000008.outline', '000000000016.outline']

test('a fresh node without a folder for segments takes outlines', async (t) => {
  const s3 = await startFakeS3(t)
  const from = await makeMoved(t)
  await keep(from, s3.place)
  const path = await makeFresh(t, from)
  assert.ok(!existsSync(join(path, 'segments')))
  await keep(path, s3.place)
  assert.deepEqual(filesOf(path), OUTLINES)
})
