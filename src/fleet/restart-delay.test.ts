import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RestartDelay } from './supervise.ts'

test('a node that never ran starts at once', () => {
  assert.equal(new RestartDelay().leftMs(5), 0)
})

test('a node that keeps ending waits twice as long each time, up to half a minute', () => {
  const delay = new RestartDelay()
  let nowMs = 0
  const waited = Array.from({ length: 7 }, () => {
    delay.started(nowMs)
    nowMs += 10
    const leftMs = delay.leftMs(nowMs)
    nowMs += leftMs
    assert.equal(delay.leftMs(nowMs), 0)
    return leftMs
  })
  assert.deepEqual(waited, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
})

test('a node that ran for a minute starts at once after its next failure', () => {
  const delay = new RestartDelay()
  delay.started(0)
  assert.equal(delay.leftMs(10), 1_000)
  delay.started(1_010)
  assert.equal(delay.leftMs(61_010), 0)
})
