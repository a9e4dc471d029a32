import assert from 'node:assert/strict'
import { test } from 'node:test'
import { specDifference } from './spec-rules.ts'

const answer = (result: unknown) => ({ jsonrpc: '2.0', id: 1, result })
const differ = (expected: unknown, actual: unknown, method = 'eth_call', file = 'a.json') =>
  specDifference(file, { method }, answer(expected), answer(actual))

test('results are the same in value, kind and order of members', () => {
  assert.equal(differ({ a: 1.0, b: ['x'] }, { a: 1, b: ['x'] }), undefined)
  assert.equal(differ({ a: 1 }, { a: '1' }), 'a is "1", expected 1')
  assert.match(differ({ a: 1, b: 2 }, { b: 2, a: 1 })!, /members b,a, expected a,b/)
  assert.equal(differ({ a: 1 }, {}), 'a is missing, expected 1')
  assert.equal(differ({}, { a: null }), 'a is too much: null')
})

test('errors are the same as a whole, and the id too', () => {
  const error = { jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } }
  assert.equal(specDifference('a', {}, error, error), undefined)
  assert.match(specDifference('a', {}, error, { ...error, id: 2 })!, /^id is 2/)
  assert.match(specDifference('a', {}, error, { ...error, error: { code: -1, message: 'n' } })!, /message/)
  assert.match(specDifference('a', {}, error, answer(null))!, /error is missing/)
})

test('texts of errors within results are the same, but for three files of another program', () => {
  const [theirs, ours] = [[{ error: 'stack underflow (1 <=> 7)' }], [{ error: 'stack underflow' }]]
  const named = '29-debug-call-tracer-0x1d-stack-underflow.json'
  assert.equal(differ(theirs, ours, 'debug_traceBlockByNumber', named), undefined)
  assert.notEqual(differ(theirs, ours, 'debug_traceBlockByNumber', 'other.json'), undefined)
  assert.notEqual(differ(theirs, [{ error: 'out of gas' }], 'debug_traceBlockByNumber', named), undefined)
  assert.notEqual(differ([{ error: 'Out of gas' }], [{ error: 'insufficient gas: 5' }]), undefined)
})

test('ids of filters may be any quantity, other results not', () => {
  assert.equal(differ('0x1', '0xabc', 'eth_newFilter'), undefined)
  assert.notEqual(differ('0x1', 'abc', 'eth_newFilter'), undefined)
  assert.notEqual(differ('0x1', '0xabc', 'eth_gasPrice'), undefined)
})

test('only in twelve files of traces of many calls some numbers are left out, by the end of the name', () => {
  const [one, other] = [{ gasUsed: '0x1' }, { gasUsed: '0x2' }]
  const callMany = (file: string) => differ(one, other, 'trace_callMany', file)
  assert.equal(callMany('trace_callMany_04_trace.json'), undefined)
  assert.notEqual(callMany('trace_callMany_04_vmTrace.json'), undefined)
  assert.notEqual(callMany('trace_callMany_05_trace.json'), undefined)
  const diff = (balance: unknown) => ({ a: { balance } })
  const play = (a: unknown, b: unknown) =>
    differ(diff(a), diff(b), 'trace_callMany', 'trace_callMany_04_stateDiff.json')
  assert.equal(play({ '*': 1 }, { '*': 2 }), undefined)
  assert.notEqual(play('=', { '*': 2 }), undefined)
})
