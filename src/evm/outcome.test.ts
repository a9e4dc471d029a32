import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteWriter } from './byte-writer.ts'
import { decodeFrames } from './call-tree.ts'
import { decodeOutcome, OUTCOME_FLAG } from './outcome.ts'

function writeFrame(writer: ByteWriter, input: Uint8Array): void {
  writer.uint8(0)
  writer.uint8(0)
  writer.uint16(0)
  writer.uint32(0)
  writer.bytes(new Uint8Array(20))
  writer.bytes(new Uint8Array(20).fill(1))
  writer.uint256(7n)
  writer.uint64(8n)
  writer.uint64(9n)
  writer.sizedBytes(input)
  writer.sizedBytes(Uint8Array.of(0xbb))
}

function recordOf(frames: readonly Uint8Array[], changes: Uint8Array | undefined): Uint8Array {
  const writer = new ByteWriter()
  writer.uint8(0)
  writer.uint8(OUTCOME_FLAG.frames | (changes === undefined ? 0 : OUTCOME_FLAG.changes))
  for (const gas of [21_000n, 0n, 0n]) writer.uint64(gas)
  writer.sizedBytes(Uint8Array.of(1, 2))
  writer.uint32(0)
  writer.uint32(frames.length)
  for (const input of frames) writeFrame(writer, input)
  if (changes !== undefined) writer.sizedBytes(changes)
  return writer.finish()
}

test('an outcome keeps its frames as bytes, which are decoded on demand', () => {
  const inputs = [Uint8Array.of(1), new Uint8Array(0), new Uint8Array(300).fill(5)]
  for (const changes of [undefined, Uint8Array.of(3, 4)]) {
    const outcome = decodeOutcome(recordOf(inputs, changes))
    assert.deepEqual(outcome.changes, changes)
    assert.ok(outcome.frames instanceof Uint8Array)
    const frames = decodeFrames(outcome.frames)
    assert.deepEqual(
      frames.map(({ input }) => input),
      inputs,
    )
    assert.deepEqual([frames[2]?.value, frames[2]?.gas, frames[2]?.gasUsed], [7n, 8n, 9n])
  }
})

test('an outcome that ends within its frames is reported as a bug', () => {
  const record = recordOf([Uint8Array.of(1, 2, 3)], undefined)
  assert.throws(() => decodeOutcome(record.subarray(0, record.length - 1)), /ends before its last field/)
})
