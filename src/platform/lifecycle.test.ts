import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { createFakeClock } from './fake-clock.ts'
import { createLifecycle, type Service } from './lifecycle.ts'

const never = (): Promise<void> => new Promise(() => undefined)

function scene() {
  const events: string[] = []
  const clock = createFakeClock()
  const service = (name: string, overrides: Partial<Service> = {}): Service => ({
    name,
    startDeadlineMs: 100,
    stopDeadlineMs: 50,
    start: () => void events.push(`start ${name}`),
    stop: () => void events.push(`stop ${name}`),
    ...overrides,
  })
  return { events, clock, service }
}

/** Lets what is ready run, however many promises deep. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('services start in order and stop in reverse, once', async () => {
  const { events, clock, service } = scene()
  const lifecycle = createLifecycle(clock, [service('a'), service('b')])
  await lifecycle.start()
  await Promise.all([lifecycle.stop(), lifecycle.stop()])
  assert.deepEqual(await lifecycle.stop(), [])
  assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a'])
  assert.equal(clock.pendingTimers, 0)
})

test('when a start fails, it and those before it are stopped and the Fault names it', async () => {
  const { events, clock, service } = scene()
  const cause = new Error('port 30303 is taken')
  const bad = service('p2p', { start: () => Promise.reject(cause) })
  const lifecycle = createLifecycle(clock, [service('a'), bad, service('c')])
  await assert.rejects(lifecycle.start(), (error) => {
    assert.ok(error instanceof Fault)
    assert.equal(error.kind, 'SERVICE_START_FAILED')
    assert.equal(error.message, 'p2p did not start: port 30303 is taken')
    assert.equal(error.cause, cause)
    return true
  })
  assert.deepEqual(events, ['start a', 'stop p2p', 'stop a'])
  assert.deepEqual(await lifecycle.stop(), [])
})

test('a start that hangs ends at its deadline with its signal aborted', async () => {
  const { events, clock, service } = scene()
  let given: AbortSignal | undefined
  const start = (signal: AbortSignal): Promise<void> => {
    given = signal
    return never()
  }
  const lifecycle = createLifecycle(clock, [service('a'), service('slow', { start })])
  const failed = assert.rejects(lifecycle.start(), /slow did not start: .*deadline of 100 ms/)
  await settle()
  clock.advance(100)
  await failed
  assert.equal(given?.aborted, true)
  assert.deepEqual(events, ['start a', 'stop slow', 'stop a'])
})

test('stop failures and hangs are all reported and stop nobody else from stopping', async () => {
  const { events, clock, service } = scene()
  const throws = service('throws', {
    stop: () => {
      throw new Error('flush failed')
    },
  })
  const lifecycle = createLifecycle(clock, [service('a'), throws, service('hangs', { stop: never })])
  await lifecycle.start()
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

test('a stop during the start gives the start up, waits for what is under way, and stops it too', async () => {
  const { events, clock, service } = scene()
  const opening = Promise.withResolvers<void>()
  const slow = service('slow', { start: () => opening.promise })
  const lifecycle = createLifecycle(clock, [service('a'), slow, service('c')])
  const failed = assert.rejects(lifecycle.start(), { kind: 'SERVICE_START_FAILED' })
  await settle()
  const stopped = lifecycle.stop()
  await settle()
  assert.deepEqual(events, ['start a'])
  opening.resolve()
  await stopped
  await failed
  assert.deepEqual(events, ['start a', 'stop slow', 'stop a'])
})

test('a service that is given up while it waits is told so by its signal', async () => {
  const { events, clock, service } = scene()
  const waits = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const lifecycle = createLifecycle(clock, [service('a'), service('waits', { start: waits })])
  const failed = assert.rejects(lifecycle.start(), { kind: 'SERVICE_START_FAILED' })
  await settle()
  await lifecycle.stop()
  await failed
  assert.deepEqual(events, ['start a', 'stop waits', 'stop a'])
})

test('a service that hangs although it was given up is left at its deadline', async () => {
  const { events, clock, service } = scene()
  const lifecycle = createLifecycle(clock, [service('a'), service('hangs', { start: never })])
  const failed = assert.rejects(lifecycle.start(), { kind: 'SERVICE_START_FAILED' })
  await settle()
  const stopped = lifecycle.stop()
  clock.advance(100)
  await stopped
  await failed
  assert.deepEqual(events, ['start a', 'stop hangs', 'stop a'])
})

test('a lifecycle that was stopped starts nothing', async () => {
  const { events, clock, service } = scene()
  const lifecycle = createLifecycle(clock, [service('a')])
  await lifecycle.stop()
  await assert.rejects(lifecycle.start(), { kind: 'SERVICE_START_FAILED' })
  assert.deepEqual(events, [])
})
