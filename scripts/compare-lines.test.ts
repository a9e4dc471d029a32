import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRuns, readLines } from './compare-lines.ts'

test('a line is identified by its words, and digits within a word belong to it', () => {
  assert.deepEqual(
    readLines('cairn  1,234 per second, p99 7.5 ms\nnothing here\ncairn  9 per second, p99 1 ms'),
    [
      { text: 'cairn # per second, p99 # ms', figures: [1234, 7.5] },
      { text: 'cairn # per second, p99 # ms (2)', figures: [9, 1] },
    ],
  )
})

test('figures are medians of the runs, and a line missing in one run is omitted', () => {
  const runs = (...values: number[]) =>
    values.map((value) => readLines(`rate ${value}\n${value > 8 ? 'odd 1' : ''}`))
  assert.deepEqual(compareRuns(runs(1, 9, 3), runs(2, 6, 9)), [
    { text: 'rate #', figures: [{ before: 3, now: 6 }] },
  ])
})
