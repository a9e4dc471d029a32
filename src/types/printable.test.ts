import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeControls, printableLine } from './printable.ts'

const HOSTILE = 'a\u001b[2J\r\u009b1A\u0007\u202eb'

test('control characters are escaped, line feeds and tabs are kept', () => {
  assert.equal(escapeControls(HOSTILE), 'a\\u001b[2J\\u000d\\u009b1A\\u0007\\u202eb')
  assert.equal(escapeControls('one\n\ttwo é 漢'), 'one\n\ttwo é 漢')
})

test('JSON text stays the same value', () => {
  const text = JSON.stringify({ [HOSTILE]: HOSTILE })
  assert.deepEqual(JSON.parse(escapeControls(text)), { [HOSTILE]: HOSTILE })
})

test('a printable line is one line of bounded length', () => {
  assert.equal(printableLine('one\ntwo\u2028three'), 'one\\u000atwo\\u2028three')
  assert.equal(printableLine('x'.repeat(10_000)).length, 501)
})
