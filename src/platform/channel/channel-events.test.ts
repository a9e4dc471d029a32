import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf, roundTrip, channelScene as scene, until } from './channel.fixture.ts'

/** Listens to headMoved; while `hold` is set, each item waits for `release`. */
function listen(s: ReturnType<typeof scene>) {
  const heard: { number: number; sequence: number; missed: number }[] = []
  const gate = { hold: false, release: (): void => assert.fail('nothing is held') }
  const stop = s.caller.onEvent('headMoved', ({ number }, context) => {
    heard.push({ number, ...context })
    if (!gate.hold) return undefined
    return new Promise<void>((resolve) => {
      gate.release = () => {
        gate.hold = false
        resolve()
      }
    })
  })
  return { heard, gate, stop }
}

test('events reach the listener in order, numbered, without a gap', async (t) => {
  const s = scene(t)
  const { heard } = listen(s)
  await roundTrip(s)
  for (let number = 1; number <= 200; number += 1) {
    s.server.publish('headMoved', { number })
    if (number % 20 === 0) await roundTrip(s)
  }
  await until(() => heard.length === 200)
  assert.deepEqual(heard[199], { number: 200, sequence: 200, missed: 0 })
  assert.ok(heard.every(({ number, sequence, missed }) => number === sequence && missed === 0))
})

test('an event without a listener is counted and not kept', async (t) => {
  const s = scene(t)
  assert.equal(s.server.publish('headMoved', { number: 1 }), 'unheard')
  await s.server.eventsReady('headMoved')
  const { heard } = listen(s)
  await roundTrip(s)
  assert.equal(s.server.publish('headMoved', { number: 2 }), 'sent')
  await until(() => heard.length === 1)
  assert.deepEqual(heard, [{ number: 2, sequence: 2, missed: 0 }])
})

test('the publisher learns that a listener is slow, and the listener sees how much it missed', async (t) => {
  const s = scene(t, { newsWindow: 2, newsBufferMax: 3 })
  const { heard, gate } = listen(s)
  gate.hold = true
  await roundTrip(s)
  const verdicts = Array.from({ length: 8 }, (_, i) => s.server.publish('headMoved', { number: i + 1 }))
  assert.deepEqual(verdicts, [
    ...['sent', 'sent'],
    ...['buffered', 'buffered', 'buffered'],
    ...['dropped', 'dropped', 'dropped'],
  ])
  let isReady = false
  const ready = s.server.eventsReady('headMoved').then(() => {
    isReady = true
  })
  await until(() => heard.length === 1)
  await roundTrip(s)
  assert.equal(isReady, false)
  gate.release()
  await ready
  await until(() => heard.length === 5)
  assert.deepEqual(
    heard.map(({ number }) => number),
    [1, 2, 6, 7, 8],
  )
  assert.deepEqual(
    heard.map(({ missed }) => missed),
    [0, 0, 3, 0, 0],
  )
})

test('a slow listener of one name does not delay another', async (t) => {
  const s = scene(t, { newsWindow: 1 })
  const { gate } = listen(s)
  gate.hold = true
  const heard: string[] = []
  s.caller.onEvent('other', (event) => void heard.push(event))
  await roundTrip(s)
  s.server.publish('headMoved', { number: 1 })
  s.server.publish('headMoved', { number: 2 })
  s.server.publish('other', 'a')
  s.server.publish('other', 'b')
  await until(() => heard.length === 2)
  assert.deepEqual(heard, ['a', 'b'])
})

test('an error of a listener is reported, and the listener receives the next item', async (t) => {
  const s = scene(t)
  const heard: string[] = []
  s.caller.onEvent('other', (event) => {
    heard.push(event)
    throw new Error(`on ${event}`)
  })
  await roundTrip(s)
  s.server.publish('other', 'a')
  s.server.publish('other', 'b')
  await until(() => heard.length === 2)
  assert.deepEqual(s.errors, [new Error('on a'), new Error('on b')])
})

test('a listener that stopped receives no more, and another may follow', async (t) => {
  const s = scene(t)
  const first = listen(s)
  assert.throws(() => listen(s), { name: 'AssertionFailure' })
  await roundTrip(s)
  first.stop()
  const second = listen(s)
  await roundTrip(s)
  s.server.publish('headMoved', { number: 1 })
  await until(() => second.heard.length === 1)
  assert.equal(first.heard.length, 0)
  second.stop()
  await roundTrip(s)
  assert.equal(s.server.publish('headMoved', { number: 2 }), 'unheard')
})

test('an event that cannot be cloned is a bug of its publisher and costs no credit', async (t) => {
  const s = scene(t, { newsWindow: 1 })
  const { heard } = listen(s)
  await roundTrip(s)
  const bad = { number: (() => 1) as unknown as number }
  assert.throws(() => s.server.publish('headMoved', bad), { name: 'DataCloneError' })
  assert.equal(s.server.publish('headMoved', { number: 2 }), 'sent')
  assert.equal(s.server.publish('headMoved', bad), 'buffered')
  await until(() => s.errors.length === 1)
  s.server.publish('headMoved', { number: 4 })
  await until(() => heard.length === 2)
  assert.deepEqual(
    heard.map(({ missed }) => missed),
    [0, 1],
  )
})

test('closing the channel rejects publishers that wait for credit', async (t) => {
  const s = scene(t, { newsWindow: 1 })
  const { gate } = listen(s)
  gate.hold = true
  await roundTrip(s)
  s.server.publish('headMoved', { number: 1 })
  const kind = kindOf(s.server.eventsReady('headMoved'))
  s.server.close()
  assert.equal(await kind, 'CHANNEL_CLOSED')
  assert.equal(await kindOf(s.server.eventsReady('headMoved')), 'CHANNEL_CLOSED')
  assert.equal(s.server.publish('headMoved', { number: 2 }), 'unheard')
})
