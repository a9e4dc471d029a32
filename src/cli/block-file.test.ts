import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { encodeRlp } from '#types/rlp.ts'
import { readBlockFile } from './block-file.ts'

function fileOf(context: TestContext, ...parts: readonly Uint8Array[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-blocks-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'blocks'), Buffer.concat(parts))
  return join(folder, 'blocks')
}

/** Lists with headers of every length, together larger than one read. */
const blocks = [0, 10, 60, 300, 70_000, 5_000_000, 20].map((size) => encodeRlp([new Uint8Array(size)]))

test('blocks are read one by one, regardless of where reads end', (context) => {
  const read = [...readBlockFile(fileOf(context, ...blocks))]
  assert.deepEqual(
    read.map((block) => Buffer.compare(block, blocks[read.indexOf(block)]!)),
    blocks.map(() => 0),
  )
  assert.equal(read.length, blocks.length)
})

test('a file that ends within a block or contains something else is refused after the blocks before', (context) => {
  for (const [rest, sentence] of [
    [blocks[4]!.subarray(0, 100), /ends within a block/],
    [blocks[4]!.subarray(0, 1), /ends within a block/],
    [Uint8Array.of(0x80), /bytes that are not a block/],
    [Uint8Array.of(0xfb, 0xff, 0xff, 0xff, 0xff), /a block of 4294967295 bytes/],
  ] as const) {
    const reader = readBlockFile(fileOf(context, blocks[1]!, rest))
    assert.deepEqual(reader.next().value, blocks[1])
    assert.throws(() => reader.next(), { name: 'Fault', message: sentence })
  }
})

test('an empty file has no blocks, and a missing file is a usage error', (context) => {
  assert.deepEqual([...readBlockFile(fileOf(context))], [])
  assert.throws(() => [...readBlockFile('/nowhere/blocks')], {
    message: /Could not find file: \/nowhere\/blocks/,
  })
})
