import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedProgress } from './sync-progress.ts'

test('progress is read from shared memory with the head of the reader until the node is in sync', () => {
  const written = new SharedProgress()
  const read = new SharedProgress(written.memory)
  assert.equal(read.read(0), undefined)
  written.write({ startingBlock: 3, currentBlock: 4, highestBlock: 2 ** 40 })
  assert.deepEqual(read.read(7), { startingBlock: 3, currentBlock: 7, highestBlock: 2 ** 40 })
  assert.equal(read.read(2 ** 40), undefined)
  written.write(undefined)
  assert.equal(read.read(7), undefined)
})
