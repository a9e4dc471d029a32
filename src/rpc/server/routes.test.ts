import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRoute, pathOf, queryParameter } from './routes.ts'

test('a path is what stands before the query, without surplus slashes', () => {
  const rows = [
    ['/', '/'],
    ['//', '/'],
    ['/?x=1', '/'],
    ['?x=1', '/'],
    ['/login/', '/login'],
    ['//login//', '/login'],
    ['/a/b?c=/d/', '/a/b'],
    ['http://localhost:8545', '/'],
    ['HTTP://localhost:8545/login/?x', '/login'],
    ['*', '*'],
  ] as const
  for (const [url, path] of rows) assert.equal(pathOf(url), path, url)
})

test('routes are found by path and method', () => {
  assert.deepEqual(findRoute('POST', '/'), { kind: 'call' })
  assert.deepEqual(findRoute('GET', '/?x'), { kind: 'greeting' })
  assert.deepEqual(findRoute('POST', '/login'), { kind: 'login' })
  assert.deepEqual(findRoute('GET', '/readiness'), { kind: 'readiness' })
  assert.deepEqual(findRoute('DELETE', '/'), { kind: 'wrong-method', allow: 'POST,GET' })
  assert.deepEqual(findRoute('constructor', '/'), { kind: 'wrong-method', allow: 'POST,GET' })
  assert.deepEqual(findRoute('GET', '/constructor'), { kind: 'unknown' })
})

test('of a repeated query parameter the first counts', () => {
  assert.equal(queryParameter('/readiness?minPeers=1&minPeers=0', 'minPeers'), '1')
  assert.equal(queryParameter('/readiness?minPeers=', 'minPeers'), '')
  assert.equal(queryParameter('/readiness', 'minPeers'), null)
})
