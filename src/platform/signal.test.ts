import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSignal } from './signal.ts'

test('each listener receives each event in order until it unsubscribes', () => {
  const signal = createSignal<number>(assert.ifError)
  const heard: string[] = []
  const leave = signal.subscribe((event) => heard.push(`a${event}`))
  signal.subscribe((event) => heard.push(`b${event}`))
  signal.emit(1)
  leave()
  leave()
  signal.emit(2)
  assert.deepEqual(heard, ['a1', 'b1', 'b2'])
  assert.equal(signal.listenerCount, 1)
})

test('a listener that throws is reported and does not stop the others', () => {
  const errors: unknown[] = []
  const signal = createSignal<number>((error) => errors.push(error))
  let heard = 0
  signal.subscribe(() => {
    throw new Error('bad listener')
  })
  signal.subscribe((event) => {
    heard = event
  })
  signal.emit(5)
  assert.equal(heard, 5)
  assert.deepEqual(errors, [new Error('bad listener')])
})

test('listeners may subscribe and unsubscribe during an event', () => {
  const signal = createSignal<number>(assert.ifError)
  const heard: string[] = []
  signal.subscribe((event) => {
    heard.push(`a${event}`)
    leaveB()
    if (event === 1) signal.subscribe((later) => heard.push(`c${later}`))
  })
  const leaveB = signal.subscribe((event) => heard.push(`b${event}`))
  signal.emit(1)
  signal.emit(2)
  assert.deepEqual(heard, ['a1', 'a2', 'c2'])
})
