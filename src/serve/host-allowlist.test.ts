import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHostAllowlist, type HostVerdict } from './host-allowlist.ts'

test('names are compared without port and case, and a header that is not host and port is malformed', () => {
  const hosts = createHostAllowlist(['localhost', '127.0.0.1'])
  const rows: readonly [string | undefined, HostVerdict][] = [
    ['localhost', 'allowed'],
    ['LOCALHOST', 'allowed'],
    ['127.0.0.1:80', 'allowed'],
    ['localhost:18545', 'allowed'],
    ['evil.example', 'refused'],
    ['localhost.', 'refused'],
    ['localhost,evil', 'refused'],
    ['[::1]:18545', 'refused'],
    ['', 'refused'],
    [':8545', 'refused'],
    [undefined, 'malformed'],
    ['user@localhost', 'malformed'],
    ['localhost:abc', 'malformed'],
    ['localhost:99999', 'malformed'],
  ]
  for (const [host, verdict] of rows) assert.equal(hosts.judge(host, '1.1'), verdict, host)
  for (const [host, verdict] of rows) assert.equal(hosts.judge(host, '1.1'), verdict, `${host}, asked again`)
  assert.equal(hosts.judge(undefined, '1.0'), 'refused')
})

test('an asterisk allows every well-formed host and a missing one', () => {
  const hosts = createHostAllowlist(['*'])
  assert.equal(hosts.judge('anything.example', '1.1'), 'allowed')
  assert.equal(hosts.judge('', '1.1'), 'allowed')
  assert.equal(hosts.judge(undefined, '1.0'), 'allowed')
  assert.equal(hosts.judge(undefined, '1.1'), 'malformed')
  assert.equal(hosts.judge('localhost:abc', '1.1'), 'malformed')
})

test('an empty list and an empty entry allow no host, and IPv6 works with or without brackets', () => {
  assert.equal(createHostAllowlist([]).judge('localhost', '1.1'), 'refused')
  assert.equal(createHostAllowlist(['']).judge('', '1.1'), 'refused')
  for (const entry of ['::1', '[::1]']) {
    assert.equal(createHostAllowlist([entry]).judge('[::1]:8545', '1.1'), 'allowed')
  }
})

test('many spellings of an allowed host do not fill memory, and all stay allowed', () => {
  const hosts = createHostAllowlist(['localhost'])
  for (let port = 0; port < 1_000; port += 1) assert.equal(hosts.judge(`localhost:${port}`, '1.1'), 'allowed')
})
