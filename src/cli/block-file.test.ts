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

/** Lists of every length of header, larger together than what is read at once. */
const blocks = [0, 10, 60, 300, 70_000, 5_000_000, 20].map((size) => encodeRlp([new Uint8Array(size)]))

test('blocks come out one by one, wherever the reads end', (context) => {
  const read = [...readBlockFile(fileOf(context, ...blocks))]
  assert.deepEqual(
    read.map((block) => Buffer.compare(block, blocks[read.indexOf(block)]!)),
    blocks.map(() => 0),
  )
  assert.equal(read.length, blocks.length)
})

test('a file that ends within a block, or holds something else, is refused after the blocks before', (context) => {
  for (const [rest, sentence] of [
    [blocks[4]!.subarray(0, 100), /ends within a block/],
    [blocks[4]!.subarray(0, 1), /ends within a block/],
    [Uint8Array.of(0x80), /something that is no block/],
    [Uint8Array.of(0xfb, 0xff, 0xff, 0xff, 0xff), /a block of 4294967295 bytes/],
  ] as const) {
    const reader = readBlockFile(fileOf(context, blocks[1]!, rest))
    assert.deepEqual(reader.next().value, blocks[1])
    assert.throws(() => reader.next(), { name: 'Fault', message: sentence })
  }
})

test('an empty file has no blocks, and one that is not there is a mistake of the caller', (context) => {
  assert.deepEqual([...readBlockFile(fileOf(context))], [])
  assert.throws(() => [...readBlockFile('/nowhere/blocks')], {
    message: /Could not find file: \/nowhere\/blocks/,
  })
})
