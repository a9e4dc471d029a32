import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fittingCount } from './rules.ts'

const group = (count: number, length: number) =>
  Array.from({ length: count }, () => ({ encoded: { length } }))

test('a call takes at most 512 transactions and a mebibyte of them, but at least one group', () => {
  assert.equal(fittingCount([]), 0)
  assert.equal(fittingCount([group(300, 1), group(212, 1), group(1, 1)]), 2)
  assert.equal(fittingCount([group(1, 600_000), group(1, 600_000)]), 1)
  assert.equal(fittingCount([group(1, 2_000_000), group(1, 1)]), 1)
  assert.equal(fittingCount(group(600, 100).map((each) => [each])), 512)
})
