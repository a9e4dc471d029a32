import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { ChunkCache } from './chunk-cache.ts'
import { openSource } from './open-source.ts'
import { writeOutline } from './outline.ts'
import { outlineName } from './past-blocks.ts'
import { RandomSegmentBlocks, segmentBytes } from './segment.fixture.ts'
import { type ArchivedContents, Segment } from './segment.ts'

test('the contents of an outline are read with the dictionary in the outline', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-outline-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const world = new RandomSegmentBlocks(createSeededRandom(1))
  const blocks = Array.from({ length: 30 }, () => world.next(8_000))
  const bytes = await segmentBytes(blocks, 0, { bytes: 20_000, fromBytes: 100_000 })
  const complete = {
    name: 'object',
    bytes: bytes.length,
    read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
  }
  const object = { sha256: new Uint8Array(32), bytes: bytes.length }
  await writeOutline(folder, 0, complete, object, () => {})
  const archive: ArchivedContents = {
    read: (_first, _object, { offset, storedBytes }) => bytes.subarray(offset, offset + storedBytes),
  }
  const outline = new Segment(openSource(join(folder, outlineName(0))), new ChunkCache(1_000_000), archive)
  t.after(() => outline.close())
  for (const [number, { hash, body, callTrees }] of blocks.entries()) {
    assert.deepEqual(outline.read('body', number, hash), body)
    assert.deepEqual(outline.read('callTrees', number, hash), callTrees)
  }
  assert.ok([...outline.verify()].length > 0)
})
