import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { ImportWatch } from './node-sync.ts'

test('a node is catching up while blocks are imported and more wait, until two seconds pass without an import', async () => {
  const clock = createFakeClock()
  const watch = new ImportWatch(clock, () => 1)
  watch.onImported({ imported: 0, remaining: 100 })
  watch.onImported({ imported: 5, remaining: 2 })
  assert.equal(watch.isCatchingUp, false)
  watch.onImported({ imported: 1, remaining: 3 })
  assert.equal(watch.isCatchingUp, true)
  await clock.advance(1_999)
  assert.equal(watch.isCatchingUp, true)
  await clock.advance(1)
  assert.equal(watch.isCatchingUp, false)
})

test('a failure of the writer is known until the head moves', () => {
  let head = 1
  const watch = new ImportWatch(createFakeClock(), () => head)
  watch.onImported({ imported: 0, remaining: 0, problem: 'The disk is full.' })
  watch.onImported({ imported: 0, remaining: 0 })
  assert.equal(watch.problem, 'The disk is full.')
  head = 2
  assert.equal(watch.problem, undefined)
})
