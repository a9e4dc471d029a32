import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf, recordedChange, recordedResult } from './audit-entry.ts'

const CALLER = { caller: { mayCall: () => true, user: 'bob' }, remoteAddress: '1.2.3.4', requestId: 'r' }

test('passwords in members and in URLs are removed; an enode keeps its id', () => {
  const enode = `enode://${'ab'.repeat(64)}@10.0.0.1:30303`
  const { params } = entryOf(
    'x_y',
    [{ 'db-password': 'p', apiKey: 'k', level: 1 }, 'https://u:pw@host/', enode],
    CALLER,
  )
  assert.deepEqual(params, [
    { 'db-password': '[secret]', apiKey: '[secret]', level: 1 },
    'https://[secret]@host/',
    enode,
  ])
})

test('a changed secret is logged without its value', () => {
  const change = recordedChange({ 'a.token': 'old', 'a.url': 'u' }, { 'a.token': 'new', 'a.url': 'u' })
  assert.deepEqual(change, { before: { 'a.token': '[secret]' }, after: { 'a.token': '[another secret]' } })
})

test('of lists only what came and went is recorded, of the rest only what differs', () => {
  const change = recordedChange(
    { list: ['a', 'b'], level: 'INFO', same: 1 },
    { list: ['b', 'c'], level: 'WARN', same: 1 },
  )
  assert.deepEqual(change, {
    before: { list: { count: 2, gone: ['a'] }, level: 'INFO' },
    after: { list: { count: 2, came: ['c'] }, level: 'WARN' },
  })
  assert.deepEqual(recordedChange({ a: 1 }, { a: 1 }), { before: {}, after: {} })
})

test('a value that is too long is replaced by its hash', () => {
  assert.match(
    JSON.stringify(recordedResult('x'.repeat(100_000))),
    /^\{"leftOut":\{"characters":100002,"sha256":"[0-9a-f]{64}"\}\}$/,
  )
})
