import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InProcessConnections } from '#jsonrpc/threads/in-process-connections.ts'
import { joined } from '#serve/answer-text.ts'
import { Notifier } from './notifier.ts'

function setUp() {
  const sent: string[] = []
  let overflows = 0
  let isBehind = false
  const notifier = new Notifier({
    send: (text) => void sent.push(JSON.parse(joined(text)).params),
    onOverflow: () => {
      overflows++
      notifier.close()
    },
    isBehind: () => isBehind,
  })
  return {
    notifier,
    sent,
    overflows: () => overflows,
    setBehind: (is: boolean) => {
      isBehind = is
    },
  }
}

test('notifications are sent at once, as JSON-RPC has them', () => {
  const texts: string[] = []
  const notifier = new Notifier({
    send: (text) => void texts.push(joined(text)),
    onOverflow: () => assert.fail(),
    isBehind: () => false,
  })
  notifier.notify('eth_subscription', '{"subscription":"0x1","result":null}')
  assert.deepEqual(texts, [
    '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":null}}',
  ])
  notifier.notify('eth_subscription', {
    before: '{"subscription":"0x1","result":',
    shared: 'null',
    after: '}',
  })
  assert.equal(texts[1], texts[0])
})

test('while a call has the connection they wait for its answer, in their order', () => {
  const { notifier, sent } = setUp()
  notifier.hold()
  notifier.notify('m', '1')
  notifier.hold()
  notifier.release()
  notifier.notify('m', '2')
  assert.deepEqual(sent, [])
  notifier.release()
  notifier.notify('m', '3')
  assert.deepEqual(sent, [1, 2, 3])
})

test('the queue is bounded', () => {
  const { notifier, overflows } = setUp()
  const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
  notifier.hold()
  for (let count = 0; count < 20; count++) notifier.notify('m', megabyte)
  assert.equal(overflows(), 1)
})

test('every listener is notified once of the end, also a late one', () => {
  const { notifier, sent } = setUp()
  const heard: string[] = []
  notifier.onClose(() => heard.push('first'))
  const stop = notifier.onClose(() => heard.push('stopped'))
  stop()
  notifier.close()
  notifier.close()
  notifier.onClose(() => heard.push('late'))
  notifier.notify('m', '1')
  assert.deepEqual(heard, ['first', 'late'])
  assert.deepEqual(sent, [])
})

test('a connection without a socket delivers notifications, and closes with its signal', async () => {
  const connections = new InProcessConnections()
  const reader = new AbortController()
  const read = connections.open(7, reader.signal)[Symbol.asyncIterator]()
  const connection = connections.get(7)
  connection.notify('m', '1')
  assert.match((await read.next()).value, /"params":1/)
  const next = read.next()
  reader.abort()
  await assert.rejects(next)
  assert.equal(connection.isClosed, true)
  assert.throws(() => connections.get(7), /opened before/)
})

test('a program that takes nothing is cut off with a reason', async () => {
  const connections = new InProcessConnections()
  const chunks = connections.open(1, new AbortController().signal)
  const connection = connections.get(1)
  const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
  for (let count = 0; count < 20; count++) connection.notify('m', megabyte)
  assert.equal(connection.isClosed, true)
  await assert.rejects(Array.fromAsync(chunks), { kind: 'LIMIT_EXCEEDED' })
})

test('a sender of much data waits until the client has read it or left', async () => {
  const { notifier, setBehind } = setUp()
  await notifier.caughtUp()
  setBehind(true)
  let hasCaughtUp = false
  const waiting = notifier.caughtUp().then(() => {
    hasCaughtUp = true
  })
  notifier.onProgress()
  await Promise.resolve()
  assert.equal(hasCaughtUp, false)
  setBehind(false)
  notifier.onProgress()
  await waiting
  setBehind(true)
  const last = notifier.caughtUp()
  notifier.close()
  await last
  assert.equal(notifier.isBehind, false)
})
