import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { startHere } from './start-here.ts'
import type { FixtureData, FixtureProtocol, StarterProtocol } from './thread.fixture.ts'
import type { Thread } from './thread.ts'

const STOP_DEADLINE_MS = 5_000

async function start(
  t: TestContext,
  data: FixtureData = {},
): Promise<Thread<StarterProtocol, FixtureProtocol>> {
  const thread = await startHere<StarterProtocol, FixtureProtocol>({
    name: 'server-0',
    entry: import.meta.resolve('./thread.fixture.ts'),
    restart: 'never',
    lowPriority: true,
    data,
    handlers: { requests: { double: (value) => value * 2n } },
    clock: systemClock,
  })
  t.after(() => thread.terminate('the test is over'))
  return thread
}

test('work on the thread of its starter answers, asks back, knows its name and stops', async (t) => {
  const thread = await start(t)
  const bytes = new Uint8Array(8).fill(7)
  assert.deepEqual(await thread.channel.request('echo', { bytes }), { bytes })
  assert.equal(await thread.channel.request('askBack', 21n), 42n)
  assert.equal((await thread.channel.request('describe', null)).name, 'server-0 main')
  assert.ok((await thread.heapStatistics()).used_heap_size > 0)
  assert.ok((await thread.cpuMs()) > 0 && thread.workedMs() >= 0)
  const inFlight = assert.rejects(thread.channel.request('never', null), { kind: 'CHANNEL_CLOSED' })
  assert.deepEqual(await thread.stop(STOP_DEADLINE_MS), { how: 'stopped' })
  assert.deepEqual(await thread.stop(STOP_DEADLINE_MS), { how: 'stopped' })
  await inFlight
  await assert.rejects(thread.channel.request('echo', 1), { kind: 'CHANNEL_CLOSED' })
})

test('the same entry runs twice on one thread', async (t) => {
  const [one, other] = [await start(t), await start(t)]
  await one.stop(STOP_DEADLINE_MS)
  assert.equal(await other.channel.request('echo', 5), 5)
})

test('a starter that asks without pause still lets timers run', async (t) => {
  const thread = await start(t)
  let hasFired = false
  setTimeout(() => {
    hasFired = true
  }, 1)
  while (!hasFired) await thread.channel.request('echo', null)
})

test('a setup that fails rejects with the reason', async (t) => {
  await assert.rejects(start(t, { failSetup: true }), {
    kind: 'THREAD_START_FAILED',
    message: 'The thread server-0 did not start: The database is in use.',
  })
})

test('a stop that fails or hangs still ends', async (t) => {
  const failed = await (await start(t, { failStop: true })).stop(STOP_DEADLINE_MS)
  assert.equal(failed.error?.message, 'The flush failed.')
  assert.deepEqual(await (await start(t, { hangStop: true })).stop(10), { how: 'terminated' })
})

test('work that fails ends with its error and leaves the process running', async (t) => {
  const thread = await start(t)
  const asked = assert.rejects(thread.channel.request('die', null), { kind: 'CHANNEL_CLOSED' })
  const { how, error } = await thread.exited
  assert.deepEqual([how, error?.message], ['died', 'no more strength'])
  await asked
})

test('a listener of a channel hears that the other side closed it, after the last message', async (t) => {
  const thread = await start(t)
  const answer = thread.channel.request('echo', 1)
  await nextTurn()
  await nextTurn()
  await thread.terminate('')
  assert.equal(await answer, 1)
  assert.equal(((await thread.channel.closed) as { kind?: string }).kind, 'CHANNEL_CLOSED')
})
