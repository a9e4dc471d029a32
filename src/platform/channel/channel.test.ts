import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AssertionFailure } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { kindOf, roundTrip, channelScene as scene, until } from './channel.fixture.ts'

test('a request is answered with its result', async (t) => {
  const s = scene(t)
  assert.equal(await s.caller.request('add', { a: 2n ** 80n, b: 1n }), 2n ** 80n + 1n)
  assert.equal(s.clock.pendingTimers, 0)
})

test('answers are matched to their requests in any order', async (t) => {
  const s = scene(t)
  const answers = Promise.all([1, 2, 3].map((value) => s.caller.request('hold', value)))
  await until(() => s.held.length === 3)
  for (const { value, answer } of s.held.toReversed()) answer.resolve(`for ${value}`)
  assert.deepEqual(await answers, ['for 1', 'for 2', 'for 3'])
})

test('a fault crosses with kind, data, sentence and cause', async (t) => {
  const s = scene(t)
  const failed = s.caller.request('hold', 1).catch((error) => error)
  await until(() => s.held.length === 1)
  const data = { sentence: 'Nonce too low.', expected: 7n, hash: Uint8Array.of(1) }
  s.held[0]?.answer.reject(
    new Fault('NONCE_TOO_LOW', data, { cause: new Fault('INNER', { sentence: 'In.' }) }),
  )
  const fault = await failed
  assert.ok(fault instanceof Fault)
  assert.equal(fault.kind, 'NONCE_TOO_LOW')
  assert.deepEqual(fault.data, data)
  assert.equal((fault.cause as Fault).kind, 'INNER')
})

test('a fault with data that cannot be cloned crosses with its sentence', async (t) => {
  const s = scene(t)
  const failed = s.caller.request('hold', 1).catch((error) => error)
  await until(() => s.held.length === 1)
  s.held[0]?.answer.reject(new Fault('ODD', { sentence: 'Odd.', call: () => 1 }))
  assert.deepEqual((await failed).data, { sentence: 'Odd.' })
})

test('a bug crosses with its type and the stack of the other side', async (t) => {
  const s = scene(t)
  const failed = [s.caller.request('hold', 1), s.caller.request('hold', 2), s.caller.request('hold', 3)]
  const errors = Promise.all(failed.map((promise) => promise.catch((error) => error)))
  await until(() => s.held.length === 3)
  s.held[0]?.answer.reject(new AssertionFailure('head is known'))
  s.held[1]?.answer.reject(new TypeError('x is not a function'))
  s.held[2]?.answer.reject('a string')
  const [assertion, typeError, text] = await errors
  assert.ok(assertion instanceof AssertionFailure)
  assert.match(assertion.stack ?? '', /channel\.test\.ts/)
  assert.equal(typeError.name, 'TypeError')
  assert.equal(text.message, 'a string')
})

test('an unknown name is a bug, even if the prototype has it', async (t) => {
  const { caller } = scene(t)
  const request = caller.request as (name: string, params: unknown) => Promise<unknown>
  for (const name of ['nothing', 'toString']) {
    await assert.rejects(request.call(caller, name, 1), { name: 'AssertionFailure' })
  }
})

test('params or results that cannot be cloned fail their request and no other', async (t) => {
  const s = scene(t)
  const held = s.caller.request('hold', 1)
  await assert.rejects(s.caller.request('hold', (() => 1) as unknown as number), { name: 'DataCloneError' })
  await until(() => s.held.length === 1)
  s.held[0]?.answer.resolve((() => 1) as unknown as string)
  await assert.rejects(held, { name: 'DataCloneError' })
  assert.equal(await s.caller.request('add', { a: 1n, b: 1n }), 2n)
})

test('buffers are transferred both ways', async (t) => {
  const s = scene(t)
  const bytes = Uint8Array.of(1, 2, 3)
  const back = await s.caller.request('sum', bytes, { transfer: [bytes.buffer] })
  assert.equal(bytes.byteLength, 0)
  assert.deepEqual(back, Uint8Array.of(1, 2, 3))
})

test('a deadline fails the request here and aborts its handler there', async (t) => {
  const s = scene(t)
  const kind = kindOf(s.caller.request('hold', 1, { deadlineMs: 100 }))
  await until(() => s.held.length === 1)
  const { signal } = s.held[0]!.context
  s.clock.advance(100)
  assert.equal(await kind, 'DEADLINE_EXCEEDED')
  assert.equal((signal.reason as Fault).kind, 'DEADLINE_EXCEEDED')
  assert.equal(s.clock.pendingTimers, 0)
})

test('a request that arrives after its deadline is not started', async (t) => {
  const s = scene(t)
  const kind = kindOf(s.caller.request('hold', 1, { deadlineMs: 100 }))
  s.clock.advance(100)
  assert.equal(await kind, 'DEADLINE_EXCEEDED')
  await roundTrip(s)
  assert.equal(s.held.length, 0)
})

test('an abort here aborts the signal there, and the late answer is ignored', async (t) => {
  const s = scene(t)
  const leaving = new AbortController()
  const failed = assert.rejects(s.caller.request('hold', 1, { signal: leaving.signal }), { message: 'left' })
  await until(() => s.held.length === 1)
  const { context, answer } = s.held[0]!
  assert.equal(context.signal.aborted, false)
  leaving.abort(new Error('left'))
  await failed
  await until(() => context.signal.aborted)
  assert.equal((context.signal.reason as Fault).kind, 'CANCELLED')
  answer.resolve('too late')
  await roundTrip(s)
  await assert.rejects(s.caller.request('hold', 2, { signal: leaving.signal }), { message: 'left' })
})

test('a signal read only after the cancel is aborted', async (t) => {
  const s = scene(t)
  const leaving = new AbortController()
  const kind = kindOf(s.caller.request('hold', 1, { signal: leaving.signal }))
  await until(() => s.held.length === 1)
  leaving.abort('left')
  await kind
  await roundTrip(s)
  assert.equal(s.held[0]?.context.signal.aborted, true)
})

test('a channel refuses requests beyond its limits at once and serves the accepted ones in order', async (t) => {
  const s = scene(t, { inFlightMax: 2, queuedMax: 1 })
  const kinds = [1, 2, 3].map((value) => kindOf(s.caller.request('hold', value)))
  assert.equal(await kindOf(s.caller.request('hold', 4)), 'CHANNEL_FULL')
  await until(() => s.held.length === 2)
  s.held[0]?.answer.resolve('x')
  await until(() => s.held.length === 3)
  for (const { answer } of s.held) answer.resolve('x')
  assert.deepEqual(await Promise.all(kinds), ['answered', 'answered', 'answered'])
  assert.deepEqual(
    s.held.map(({ value }) => value),
    [1, 2, 3],
  )
})

test('a cancelled request keeps its slot until its handler ends, and a queued one leaves at once', async (t) => {
  const s = scene(t, { inFlightMax: 1, queuedMax: 1 })
  const [first, second] = [new AbortController(), new AbortController()]
  const gone = [first, second].map(({ signal }, i) => kindOf(s.caller.request('hold', i, { signal })))
  await until(() => s.held.length === 1)
  second.abort('second left')
  const third = s.caller.request('hold', 2)
  first.abort('first left')
  assert.deepEqual(await Promise.all(gone), ['first left', 'second left'])
  assert.equal(await kindOf(s.caller.request('hold', 3)), 'CHANNEL_FULL')
  s.held[0]?.answer.resolve('over')
  await until(() => s.held.length === 2)
  s.held[1]?.answer.resolve('third')
  assert.equal(await third, 'third')
})

test('a side does not trust the limits of the other side', async (t) => {
  const s = scene(t, { servingMax: 1 })
  const kinds = [1, 2].map((value) => kindOf(s.caller.request('hold', value)))
  assert.equal(await kinds[1], 'CHANNEL_FULL')
  s.held[0]?.answer.resolve('x')
  assert.equal(await kinds[0], 'answered')
})

test('closing either side fails pending and later requests', async (t) => {
  for (const side of ['caller', 'server'] as const) {
    const s = scene(t)
    const kind = kindOf(s.caller.request('hold', 1))
    const chunks = s.caller.stream('count', 1e9)
    await chunks.next()
    await until(() => s.held.length === 1)
    const { signal } = s.held[0]!.context
    s[side].close()
    s[side].close()
    assert.equal(await kind, 'CHANNEL_CLOSED')
    assert.equal(await kindOf(s.caller.request('hold', 2)), 'CHANNEL_CLOSED')
    assert.equal(await kindOf(s.caller.stream('count', 2).next()), 'CHANNEL_CLOSED')
    assert.equal(((await s.server.closed) as Fault).kind, 'CHANNEL_CLOSED')
    assert.match((await s.caller.closed).message, /^The channel to thread x was closed by /)
    assert.equal((signal.reason as Fault).kind, 'CHANNEL_CLOSED')
    await until(() => s.ended.length === 1)
  }
})
