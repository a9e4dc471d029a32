import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { DataPending, whenFetched } from '#platform/data-pending.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { startFakeS3 } from '#platform/object-store/fake-s3.fixture.ts'
import { objectKey } from './archive-place.ts'
import { ArchiveReader } from './archive-reader.ts'

const OBJECT = { sha256: new Uint8Array(32), bytes: 1_000_000 }
/** Later than any deadline of a short read. */
const HANG_MS = 20_000
const RETRY_MS = 2_000

/** A reader whose archive accepts connections and never answers. */
async function openReader(t: TestContext) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket.resume())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'cairn-archive-'))
  const { port } = server.address() as AddressInfo
  const clock = createFakeClock()
  const reader = new ArchiveReader({
    place: {
      url: `http://127.0.0.1:${port}/bucket`,
      region: 'us-east-1',
      credentialsFile: undefined,
      cacheBytes: 0,
    },
    folder,
    genesisHash: new Uint8Array(32),
    clock,
    requireRoom: () => undefined,
  })
  t.after(() => {
    reader.close()
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  /** The pending fetch; undefined if the read fails at once. */
  const read = (offset: number): Promise<unknown> | undefined => {
    try {
      reader.read(0, OBJECT, { first: 0, offset, storedBytes: 100, rawBytes: 100, crc: 0 })
    } catch (error) {
      if (error instanceof DataPending) return error.ready
      assert.equal((error as { kind?: string }).kind, 'ARCHIVE_UNAVAILABLE')
      return undefined
    }
    assert.fail('the archive returned something')
  }
  return { clock, read }
}

test('reads of an archive that hangs end together, and afterwards one read at a time waits for it', async (t) => {
  const { clock, read } = await openReader(t)
  const first = Array.from({ length: 64 }, (_, at) => read(at))
  assert.ok(first.every((each) => each !== undefined))
  assert.equal(read(0), first[0])
  assert.equal(read(64), undefined)
  clock.advance(HANG_MS)
  for (const each of first) await assert.rejects(each!, { kind: 'ARCHIVE_UNAVAILABLE' })
  assert.equal(read(0), undefined)
  for (let round = 0; round < 2; round++) {
    clock.advance(RETRY_MS)
    const probe = read(7)
    assert.ok(probe !== undefined)
    assert.deepEqual([read(7), read(8)], [undefined, undefined])
    clock.advance(HANG_MS)
    await assert.rejects(probe, { kind: 'ARCHIVE_UNAVAILABLE' })
  }
})

test('a missing object does not make others unavailable', async (t) => {
  const s3 = await startFakeS3(t)
  const [genesisHash, body] = [new Uint8Array(32), Buffer.alloc(200, 7)]
  s3.objects.set(objectKey(genesisHash, 0, OBJECT), body)
  const place = { ...s3.place, cacheBytes: 0 }
  const parts = { place, folder: tmpdir(), genesisHash, clock: createFakeClock() }
  const reader = new ArchiveReader({ ...parts, requireRoom: () => undefined })
  t.after(() => reader.close())
  const crc = crc32(body.subarray(8, 108))
  const read = (first: number) =>
    whenFetched(() =>
      reader.read(first, OBJECT, { first: 0, offset: 8, storedBytes: 100, rawBytes: 100, crc }),
    )
  await assert.rejects(async () => read(8), { kind: 'ARCHIVE_UNAVAILABLE' })
  assert.equal((await read(0)).length, 100)
})

test('a request that needs more at once than a thread holds ends after few fetches', {
  timeout: 30_000,
}, async (t) => {
  const s3 = await startFakeS3(t)
  const [genesisHash, bytes, count] = [new Uint8Array(32), 4 * 1024 * 1024, 12]
  s3.objects.set(objectKey(genesisHash, 0, OBJECT), Buffer.alloc(bytes * count))
  let fetches = 0
  s3.answer = () => ++fetches === 0
  const place = { ...s3.place, cacheBytes: 0 }
  const parts = { place, folder: tmpdir(), genesisHash, clock: createFakeClock() }
  const reader = new ArchiveReader({ ...parts, requireRoom: () => undefined })
  t.after(() => reader.close())
  const crc = crc32(Buffer.alloc(bytes))
  const readFirst = (chunks: number) =>
    whenFetched(() => {
      for (let first = 0; first < chunks; first++)
        reader.read(0, OBJECT, { first, offset: first * bytes, storedBytes: bytes, rawBytes: bytes, crc })
    })
  await readFirst(7)
  assert.equal(fetches, 7)
  await assert.rejects(async () => readFirst(count), { kind: 'READS_TOO_MUCH' })
  assert.ok(fetches < 40, `${fetches} fetches`)
})
