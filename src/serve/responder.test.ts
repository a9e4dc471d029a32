import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsJson, chooseCoding, codingOf } from './responder.ts'

test('JSON is accepted unless the header excludes it', () => {
  const accepted = [
    undefined,
    '',
    '*/*',
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/*',
    'text/html, */*;q=0.1',
    'text/html,application/json;q=0.9',
    '*',
  ]
  for (const accept of accepted) assert.equal(acceptsJson(accept), true, accept)
  const refused = [
    'text/html',
    'text/*',
    'application/xml',
    'application/json;q=0',
    'application/json;q=0, */*',
  ]
  for (const accept of refused) assert.equal(acceptsJson(accept), false, accept)
})

test('the coding is gzip before deflate, by weight, and nothing else', () => {
  const rows = [
    [undefined, null],
    ['', null],
    ['identity', null],
    ['br', null],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['deflate', 'deflate'],
    ['gzip, deflate, br', 'gzip'],
    ['deflate, gzip;q=0.5', 'deflate'],
    ['gzip;q=0, deflate', 'deflate'],
    ['gzip;q=0', null],
    ['*', 'gzip'],
    ['*;q=0', null],
    ['gzip;q=nonsense', 'gzip'],
  ] as const
  for (const [header, coding] of rows) assert.equal(chooseCoding(header), coding, header)
})

test('gzip and deflate are recognised in compressed requests', () => {
  assert.equal(codingOf(' GZip '), 'gzip')
  assert.equal(codingOf('deflate'), 'deflate')
  for (const other of [undefined, 'identity', 'br', 'gzip, gzip']) assert.equal(codingOf(other), null)
})
