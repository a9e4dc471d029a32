import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createSecretVerifier } from './shared-secret.ts'

const SECRET = '11'.repeat(32)
const NOW_S = 1_790_000_000
const NOW_MS = NOW_S * 1_000
const verify = createSecretVerifier(SECRET)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(
  payload: unknown,
  header: object = { alg: 'HS256', typ: 'JWT' },
  [hash, secret]: readonly [string, string] = ['sha256', SECRET],
): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac(hash, Buffer.from(secret, 'hex')).update(input).digest('base64url')}`
}

test('a token is valid within a minute of the clock, on both sides', () => {
  for (const distance of [-60, -1, 0, 1, 60])
    assert.equal(verify(token({ iat: NOW_S + distance }), NOW_MS), null)
  assert.equal(verify(token({ iat: NOW_S - 61 }), NOW_MS), 'expired')
  assert.equal(verify(token({ iat: NOW_S + 61 }), NOW_MS), 'not yet valid')
  assert.equal(verify(token({ iat: NOW_S, id: 'beacon', clv: 'Prysm/v7' }), NOW_MS), null)
})

test('an expired token is refused even if it was issued just now', () => {
  assert.equal(verify(token({ iat: NOW_S, exp: NOW_S }), NOW_MS), 'expired')
  assert.equal(verify(token({ iat: NOW_S, exp: NOW_S + 1 }), NOW_MS), null)
})

test('other secrets, algorithms and claims are refused', () => {
  const now = { iat: NOW_S }
  const invalid = [
    token(now, { alg: 'HS256' }, ['sha256', '22'.repeat(32)]),
    token(now, { alg: 'HS512' }, ['sha512', SECRET]),
    token(now, { alg: 'none' }),
    `${encode({ alg: 'none' })}.${encode(now)}.`,
    token(now, { alg: 'HS256', crit: ['exp'] }),
    token({}),
    token({ iat: String(NOW_S) }),
    token({ iat: null }),
    token({ iat: NOW_S, exp: 'never' }),
    token([NOW_S]),
    token(now).slice(0, -1),
    `${token(now)}=`,
    'x',
    '',
    '..',
  ]
  for (const each of invalid) assert.equal(verify(each, NOW_MS), 'invalid token', each)
})
