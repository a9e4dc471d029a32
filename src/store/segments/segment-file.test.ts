import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { Fault } from '#types/fault.ts'
import { openSegment, verifySegment } from './past-blocks.ts'
import { GENESIS_HASH, RandomSegmentBlocks } from './segment.fixture.ts'
import { writeSegmentFile } from './segment-file.ts'

test('a failed or stopped attempt leaves no file, and the next one replaces the remains of a kill', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-segment-file-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const world = new RandomSegmentBlocks(createSeededRandom(1))
  const blocks = Array.from({ length: 6 }, () => world.next())
  const attempt = { folder, first: 12, count: 6, genesisHash: GENESIS_HASH, pause: () => undefined }
  const options = { ...attempt, isStopped: () => false, blockAt: (number: number) => blocks[number - 12] }
  const failing = { ...options, blockAt: (number: number) => (number > 14 ? fail() : blocks[number - 12]) }
  await assert.rejects(writeSegmentFile(failing), /unreadable/)
  assert.deepEqual(readdirSync(folder), [])
  assert.equal(await writeSegmentFile({ ...options, isStopped: () => true }), false)
  assert.deepEqual(readdirSync(folder), [])
  writeFileSync(join(folder, '000000000012.segment.part'), 'remains')
  assert.equal(await writeSegmentFile(options), true)
  assert.deepEqual(readdirSync(folder), ['000000000012.segment'])
  assert.ok([...verifySegment(join(folder, '000000000012.segment'))].length > 0)
})

test('clients learn the name of a missing segment, but not its folder', () => {
  const path = join(tmpdir(), 'no-such-folder', '000000000012.segment')
  assert.throws(
    () => openSegment(path),
    (error) => {
      assert.ok(error instanceof Fault && error.kind === 'SEGMENT_DAMAGED')
      assert.match(String(error.data.forClients), /^000000000012\.segment: it cannot be opened \(ENOENT\)/)
      assert.doesNotMatch(String(error.data.forClients), /no-such-folder/)
      return true
    },
  )
})

function fail(): never {
  throw new Error('unreadable')
}
