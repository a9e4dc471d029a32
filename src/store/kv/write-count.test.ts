import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WriteCount } from './write-count.ts'

test('a count is quiet between batches, and changes with each', () => {
  const writer = new WriteCount()
  const reader = new WriteCount(writer.memory)
  const write = (): void => {
    writer.begin()
    assert.equal(reader.quiet(), undefined)
    writer.end()
  }
  write()
  const before = reader.quiet()
  assert.notEqual(before, undefined)
  assert.equal(reader.quiet(), before)
  write()
  assert.notEqual(reader.quiet(), undefined)
  assert.notEqual(reader.quiet(), before)
})

test('a count without a writer is never quiet', () => {
  assert.equal(new WriteCount().quiet(), undefined)
})

test('a count is not quiet until overlapping batches have all ended', () => {
  const count = new WriteCount()
  count.begin()
  count.begin()
  count.end()
  assert.equal(count.quiet(), undefined)
  count.end()
  assert.notEqual(count.quiet(), undefined)
})

test('a failed batch leaves the count unquiet for good', () => {
  const count = new WriteCount()
  count.begin()
  count.begin()
  count.end()
  assert.equal(count.quiet(), undefined)
})
