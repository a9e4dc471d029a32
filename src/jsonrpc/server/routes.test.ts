import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRoute } from './http.ts'

test('routes are found by path and method', () => {
  assert.deepEqual(findRoute('POST', '/'), { kind: 'call' })
  assert.deepEqual(findRoute('GET', '/?x'), { kind: 'greeting' })
  assert.deepEqual(findRoute('POST', '/login'), { kind: 'login' })
  assert.deepEqual(findRoute('GET', '/readiness'), { kind: 'readiness' })
  assert.deepEqual(findRoute('DELETE', '/'), { kind: 'wrong-method', allow: 'POST,GET' })
  assert.deepEqual(findRoute('constructor', '/'), { kind: 'wrong-method', allow: 'POST,GET' })
  assert.deepEqual(findRoute('GET', '/constructor'), { kind: 'unknown' })
})
