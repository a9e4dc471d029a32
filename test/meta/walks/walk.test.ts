import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitRuns, walkOf } from './walk.ts'

const entries = (...rows: [number, string][]) =>
  rows.map(([ms, file]) => ({ atNs: ms * 1e6, file, offset: 0 }))

test('a pause ends a run, and a timer within it is not a run', () => {
  const runs = splitRuns(
    entries(
      [0, 'rpc/a.ts'],
      [1, 'evm/b.ts'],
      [2, 'rpc/a.ts'],
      [500, 'rpc/t.ts'],
      [1001, 'evm/b.ts'],
      [1000, 'rpc/a.ts'],
    ),
    200,
  )
  assert.deepEqual(runs, [
    ['rpc/a.ts', 'evm/b.ts'],
    ['rpc/a.ts', 'evm/b.ts'],
  ])
})

test('returning to a room is counted, and calling types or platform in between is not', () => {
  const run = ['rpc/a.ts', 'types/hex.ts', 'rpc/b.ts', 'chain/c.ts', 'rpc/d.ts', 'evm/e.ts', 'chain/f.ts']
  assert.deepEqual(walkOf([run]), { files: run, reEntries: 2 })
})

test('a file counts if most runs entered it', () => {
  const runs = [['rpc/a.ts'], ['rpc/a.ts', 'rpc/b.ts', 'rpc/once.ts'], ['rpc/a.ts', 'rpc/b.ts']]
  assert.deepEqual(walkOf(runs).files, ['rpc/a.ts', 'rpc/b.ts'])
})

test('nothing was entered', () => {
  assert.deepEqual(walkOf(splitRuns([], 200)), { files: [], reEntries: 0 })
})

test('a timer that also runs in the pauses is not part of a run and does not join runs', () => {
  const ticks = Array.from({ length: 60 }, (_, index): [number, string] => [index * 50, 'rpc/watch.ts'])
  const runs = splitRuns(entries([0, 'rpc/a.ts'], [2_000, 'rpc/a.ts'], ...ticks), 100)
  assert.deepEqual(runs, [['rpc/a.ts'], ['rpc/a.ts']])
})
