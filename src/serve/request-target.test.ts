import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathOf, queryParameter } from './request-target.ts'

test('a path ends before the query and has no surplus slashes', () => {
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

test('the first of several equal query parameters counts', () => {
  assert.equal(queryParameter('/readiness?minPeers=1&minPeers=0', 'minPeers'), '1')
  assert.equal(queryParameter('/readiness?minPeers=', 'minPeers'), '')
  assert.equal(queryParameter('/readiness', 'minPeers'), null)
})
