import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf, roundTrip, channelScene as scene, until } from './channel.fixture.ts'

test('a stream yields every chunk in order and then ends', async (t) => {
  const s = scene(t, { streamWindow: 4 })
  const seen: number[] = []
  for await (const chunk of s.caller.stream('count', 50)) seen.push(chunk)
  assert.deepEqual(
    seen,
    Array.from({ length: 50 }, (_, i) => i),
  )
  assert.equal(s.clock.pendingTimers, 0)
})

test('a producer runs no further ahead of a slow reader than the window', async (t) => {
  const s = scene(t, { streamWindow: 4 })
  const chunks = s.caller.stream('count', 1_000)
  await chunks.next()
  for (let i = 0; i < 5; i += 1) await roundTrip(s)
  assert.equal(s.produced.length, 4)
  await chunks.next()
  await chunks.next()
  for (let i = 0; i < 5; i += 1) await roundTrip(s)
  assert.equal(s.produced.length, 6)
  await chunks.return()
})

test('a window of one chunk still flows', async (t) => {
  const s = scene(t, { streamWindow: 1 })
  let count = 0
  for await (const _ of s.caller.stream('count', 10)) count += 1
  assert.equal(count, 10)
})

test('a reader that leaves the loop ends the producer', async (t) => {
  const s = scene(t)
  for await (const chunk of s.caller.stream('count', 1e9)) if (chunk === 3) break
  await until(() => s.ended.length === 1)
  assert.equal(s.clock.pendingTimers, 0)
})

test('an abort or the deadline ends a stream on both sides', async (t) => {
  const s = scene(t)
  const leaving = new AbortController()
  const aborted = s.caller.stream('count', 1e9, { signal: leaving.signal })
  await aborted.next()
  leaving.abort('left')
  assert.equal(await kindOf(drain(aborted)), 'left')
  const late = s.caller.stream('count', 1e9, { deadlineMs: 100 })
  await late.next()
  s.clock.advance(100)
  await assert.rejects(drain(late), /^Fault: count did not finish within its deadline of 100 ms/)
  await until(() => s.ended.length === 2)
})

test('a stream that fails yields the chunks before the failure', async (t) => {
  const s = scene(t)
  const failing = s.caller.stream('fail', 2)
  assert.equal((await failing.next()).value, 0)
  assert.equal((await failing.next()).value, 1)
  assert.equal(await kindOf(failing.next()), 'PRUNED')
})

test('streams beyond the limit are refused at once, and a stream not begun costs nothing', async (t) => {
  const s = scene(t, { streamsMax: 1 })
  const first = s.caller.stream('count', 1e9)
  const second = s.caller.stream('count', 1)
  await first.next()
  assert.equal(await kindOf(second.next()), 'CHANNEL_FULL')
  await first.return()
  await until(() => s.ended.length === 1)
  await roundTrip(s)
  assert.equal((await s.caller.stream('count', 1).next()).value, 0)
})

async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}
