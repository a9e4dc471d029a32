import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { startFakeS3 } from './fake-s3.fixture.ts'
import { S3Store } from './s3-store.ts'

const MIB = 1024 * 1024

test('a list page of unfinished entries is read in linear time', async (t) => {
  const s3 = await startFakeS3(t)
  const store = new S3Store(s3.place, systemClock)
  t.after(() => store.close())
  s3.answer = (_, response) => Boolean(response.end('<Contents>'.repeat(MIB / 10)))
  const startMs = performance.now()
  assert.deepEqual(await Array.fromAsync(store.list('')), [])
  // The expression that tried every start with every end took more than ten seconds.
  assert.ok(performance.now() - startMs < 2_000)
})

test('a refused upload ends although the store reads no more of it, and frees its connection', async (t) => {
  const s3 = await startFakeS3(t)
  const store = new S3Store(s3.place, systemClock)
  t.after(() => store.close())
  s3.answer = (request, response) => {
    if (request.method !== 'PUT') return false
    request.pause()
    return Boolean(response.writeHead(503, { 'content-length': 0 }).end())
  }
  let open = 0
  const body = {
    bytes: 64 * MIB,
    sha256: 'ab'.repeat(32),
    async *open() {
      open++
      try {
        for (let at = 0; at < 64; at++) yield Buffer.alloc(MIB)
      } finally {
        open--
      }
    },
  }
  for (let upload = 0; upload < 8; upload++) await assert.rejects(store.write('object', body), /503/)
  assert.equal(await store.length('another'), undefined)
  assert.equal(open, 0)
})
