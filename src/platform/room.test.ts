import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { createFakeClock } from './fake-clock.fixture.ts'
import { defineRoom, Later, Lifecycle, type RoomLife } from './room.ts'

const never = (): Promise<void> => new Promise(() => undefined)

interface Behaviour {
  readonly start?: (life: RoomLife) => Promise<void> | void
  readonly stop?: (signal: AbortSignal) => Promise<void> | void
}

function scene() {
  const events: string[] = []
  const clock = createFakeClock()
  const lifecycle = new Lifecycle(clock)
  /** Registers its stop at once, as a room does when it opens a resource. */
  const room = (name: string, { start, stop = () => void events.push(`stop ${name}`) }: Behaviour = {}) =>
    defineRoom({
      name,
      startDeadlineMs: 100,
      stopDeadlineMs: 50,
      start: async (_: undefined, life) => {
        life.onStop(stop)
        if (start) await start(life)
        else events.push(`start ${name}`)
        return name
      },
    })
  const startAll = async (...rooms: ReturnType<typeof room>[]): Promise<void> => {
    for (const each of rooms) assert.equal(await lifecycle.start(each, undefined), each.name)
  }
  return { events, clock, lifecycle, room, startAll }
}

/** Runs everything that is ready, however many promises deep. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('rooms start in order and stop in reverse, once', async () => {
  const { events, clock, lifecycle, room, startAll } = scene()
  await startAll(room('a'), room('b'))
  await Promise.all([lifecycle.stop(), lifecycle.stop()])
  assert.deepEqual(await lifecycle.stop(), [])
  assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a'])
  assert.equal(clock.pendingTimers, 0)
})

test('a room receives its needs, returns its offers, and closes its resources in reverse', async () => {
  const { clock } = scene()
  const closed: string[] = []
  const lifecycle = new Lifecycle(clock)
  const sum = defineRoom({
    name: 'sum',
    startDeadlineMs: 100,
    stopDeadlineMs: 50,
    start: ({ one, other }: { one: number; other: number }, { onStop }) => {
      onStop(() => void closed.push('first'))
      onStop(() => void closed.push('second'))
      return { sum: one + other }
    },
  })
  assert.deepEqual(await lifecycle.start(sum, { one: 1, other: 2 }), { sum: 3 })
  await lifecycle.stop()
  assert.deepEqual(closed, ['second', 'first'])
})

test('when a start fails, that room and the rooms before it are stopped, and the Fault names it', async () => {
  const { events, lifecycle, room, startAll } = scene()
  const cause = new Error('port 30303 is taken')
  await assert.rejects(
    startAll(room('a'), room('p2p', { start: () => Promise.reject(cause) }), room('c')),
    (error) => {
      assert.ok(error instanceof Fault)
      assert.equal(error.kind, 'SERVICE_START_FAILED')
      assert.equal(error.message, 'p2p did not start: port 30303 is taken')
      assert.equal(error.cause, cause)
      return true
    },
  )
  assert.deepEqual(events, ['start a', 'stop p2p', 'stop a'])
  assert.deepEqual(await lifecycle.stop(), [])
})

test('a start that hangs ends at its deadline with its signal aborted, and a resource opened later is closed at once', async () => {
  const { events, clock, room, startAll } = scene()
  let given: RoomLife | undefined
  const start = (life: RoomLife): Promise<void> => {
    given = life
    return never()
  }
  const failed = assert.rejects(
    startAll(room('a'), room('slow', { start })),
    /slow did not start: .*deadline of 100 ms/,
  )
  await settle()
  clock.advance(100)
  await failed
  assert.equal(given?.signal.aborted, true)
  assert.deepEqual(events, ['start a', 'stop slow', 'stop a'])
  given?.onStop(() => void events.push('stop late'))
  await settle()
  assert.equal(events.at(-1), 'stop late')
})

test('all stop failures and hangs are reported, and every other room still stops', async () => {
  const { events, clock, lifecycle, room, startAll } = scene()
  const stop = () => {
    throw new Error('flush failed')
  }
  await startAll(room('a'), room('throws', { stop }), room('hangs', { stop: never }))
  const stopped = lifecycle.stop()
  await settle()
  clock.advance(50)
  const failures = await stopped
  assert.deepEqual(
    failures.map((failure) => failure.service),
    ['hangs', 'throws'],
  )
  assert.deepEqual(
    failures.map((failure) => (failure.error as Fault).kind),
    ['DEADLINE_EXCEEDED', undefined],
  )
  assert.equal(events.at(-1), 'stop a')
})

test('a stop during the start cancels the start, waits for it, and stops that room too', async () => {
  const { events, lifecycle, room, startAll } = scene()
  const opening = Promise.withResolvers<void>()
  const failed = assert.rejects(
    startAll(room('a'), room('slow', { start: () => opening.promise }), room('c')),
    { kind: 'SERVICE_START_FAILED' },
  )
  await settle()
  const stopped = lifecycle.stop()
  await settle()
  assert.deepEqual(events, ['start a'])
  opening.resolve()
  await stopped
  await failed
  assert.deepEqual(events, ['start a', 'stop slow', 'stop a'])
})

test('the signal of a waiting room aborts when the start is cancelled', async () => {
  const { events, lifecycle, room, startAll } = scene()
  const start = ({ signal }: RoomLife) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const failed = assert.rejects(startAll(room('a'), room('waits', { start })), {
    kind: 'SERVICE_START_FAILED',
  })
  await settle()
  await lifecycle.stop()
  await failed
  assert.deepEqual(events, ['start a', 'stop waits', 'stop a'])
})

test('a room that hangs after its start was cancelled is abandoned at its deadline', async () => {
  const { events, clock, lifecycle, room, startAll } = scene()
  const failed = assert.rejects(startAll(room('a'), room('hangs', { start: never })), {
    kind: 'SERVICE_START_FAILED',
  })
  await settle()
  const stopped = lifecycle.stop()
  clock.advance(100)
  await stopped
  await failed
  assert.deepEqual(events, ['start a', 'stop hangs', 'stop a'])
})

test('a lifecycle that was stopped, or whose signal aborted, starts nothing', async () => {
  const { events, clock, lifecycle, room, startAll } = scene()
  await lifecycle.stop()
  await assert.rejects(startAll(room('a')), { kind: 'SERVICE_START_FAILED' })
  const given = new Lifecycle(clock, AbortSignal.abort(new Error('interrupted')))
  await assert.rejects(given.start(room('a'), undefined), /a did not start: interrupted/)
  assert.deepEqual(events, [])
})

test('a later room throws STARTING until it has started', () => {
  const consensus = new Later<number>('consensus')
  assert.equal(consensus.now, undefined)
  assert.throws(() => consensus.get(), { kind: 'STARTING', message: /starting: consensus is not ready yet/ })
  consensus.arrive(7)
  assert.deepEqual([consensus.now, consensus.get()], [7, 7])
})
