import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { Secret } from '#platform/secret.ts'
import type { User } from './credentials.ts'
import { createTokenIssuer, createTokenVerifier, generateTokenKey, problemAt } from './tokens.ts'

const NOW_MS = 1_790_000_000_999
const ALICE: User = {
  name: 'alice',
  passwordHash: new Secret('$2a$'),
  grants: ['net:*', 'eth:blockNumber'],
  privacyPublicKey: null,
  hasInvalidValues: false,
}

const issuer = createTokenIssuer(generateTokenKey())
const p256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of P-256 with any header and payload, signed as told. */
function craft(
  payload: unknown,
  header: object = { alg: 'ES256' },
  dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363',
) {
  const input = `${encode(header)}.${encode(payload)}`
  const key: { key: KeyObject; dsaEncoding: 'ieee-p1363' | 'der' } = { key: p256.privateKey, dsaEncoding }
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}

const verifyP256 = createTokenVerifier('ES256', p256.publicKey)
const isValidNow = (token: string): boolean => {
  const claims = verifyP256(token)
  return typeof claims !== 'string' && problemAt(claims, 1_000_000) === null
}

test('an issued token has the bytes of Besu: header, members in order, five minutes', () => {
  const token = issuer.issue(ALICE, NOW_MS)
  const [header = '', payload = '', signature = ''] = token.split('.')
  assert.equal(header, 'eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9')
  assert.equal(
    Buffer.from(payload, 'base64url').toString(),
    '{"permissions":["net:*","eth:blockNumber"],"username":"alice","iat":1790000000,"exp":1790000300}',
  )
  const input = Buffer.from(`${header}.${payload}`)
  assert.ok(verify('sha256', input, issuer.publicKey, Buffer.from(signature, 'base64url')))
  const withKey = issuer.issue({ ...ALICE, privacyPublicKey: 'A1aV=' }, NOW_MS).split('.')[1] ?? ''
  assert.match(
    Buffer.from(withKey, 'base64url').toString(),
    /"username":"alice","privacyPublicKey":"A1aV=","iat"/,
  )
})

test('an issued token verifies with its own key until the second it expires, with no other', () => {
  const token = issuer.issue(ALICE, NOW_MS)
  const claims = createTokenVerifier('RS256', issuer.publicKey)(token)
  assert.ok(typeof claims !== 'string')
  assert.deepEqual(claims.grants, ['net:*', 'eth:blockNumber'])
  assert.equal(problemAt(claims, NOW_MS), null)
  assert.equal(problemAt(claims, 1_790_000_299_999), null)
  assert.equal(problemAt(claims, 1_790_000_300_000), 'expired')
  assert.equal(problemAt(claims, NOW_MS - 1_000), 'not yet valid')
  const other = createPublicKey(generateTokenKey().reveal())
  assert.equal(createTokenVerifier('RS256', other)(token), 'invalid token')
})

test('exp is a number: fractions are fine, anything else is refused', () => {
  assert.equal(isValidNow(craft({ exp: 1_001 })), true)
  assert.equal(isValidNow(craft({ exp: 1_000.5 })), true)
  assert.equal(isValidNow(craft({ exp: 1_790_000_000_000 })), true)
  for (const exp of [1_000, 999.9, 0, -1, '2000', null, true, [2_000], {}, undefined]) {
    assert.equal(isValidNow(craft({ exp })), false, JSON.stringify(exp))
  }
  const infinite = `${encode({ alg: 'ES256' })}.${Buffer.from('{"exp":1e999}').toString('base64url')}`
  const key = { key: p256.privateKey, dsaEncoding: 'ieee-p1363' } as const
  const signature = sign('sha256', Buffer.from(infinite), key).toString('base64url')
  assert.equal(isValidNow(`${infinite}.${signature}`), false)
})

test('iat and nbf may be absent or past, not in the future and not of another type', () => {
  for (const claim of ['iat', 'nbf']) {
    for (const good of [1_000, 999.5, 0, -5])
      assert.equal(isValidNow(craft({ exp: 2_000, [claim]: good })), true)
    for (const bad of [1_000.001, 1_500, '5', null, {}]) {
      assert.equal(isValidNow(craft({ exp: 2_000, [claim]: bad })), false, `${claim} ${JSON.stringify(bad)}`)
    }
  }
})

test('permissions that are not a list, and entries that are not strings, grant nothing', () => {
  const grantsOf = (permissions: unknown) => {
    const claims = verifyP256(craft({ exp: 2_000, permissions }))
    return typeof claims === 'string' ? claims : claims.grants
  }
  assert.deepEqual(grantsOf([1, null, 'eth:*', ['net:*'], { a: 1 }]), ['eth:*'])
  for (const other of ['*:*', undefined, null, 5, { 0: '*:*' }]) assert.deepEqual(grantsOf(other), [])
})

test('a crit header is refused whatever it holds, other headers are ignored', () => {
  const payload = { exp: 2_000 }
  for (const crit of [['x'], ['exp'], [], null, '', 0, false, 'x', {}]) {
    assert.equal(isValidNow(craft(payload, { alg: 'ES256', crit })), false, JSON.stringify(crit))
  }
  assert.equal(
    isValidNow(craft(payload, { alg: 'ES256', typ: 'at+jwt', kid: 'x', jku: 'http://evil' })),
    true,
  )
})

test('the algorithm is the configured one and nothing else', () => {
  for (const alg of [
    'none',
    'None',
    'HS256',
    'ES384',
    'ES256K',
    'RS256',
    'es256',
    '',
    null,
    undefined,
    ['ES256'],
  ]) {
    assert.equal(isValidNow(craft({ exp: 2_000 }, { alg })), false, JSON.stringify(alg))
  }
})

test('a longer hash of the same key type is another algorithm', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const craftRsa = (alg: string, hash: string): string => {
    const input = `${encode({ alg })}.${encode({ exp: 2_000 })}`
    return `${input}.${sign(hash, Buffer.from(input), rsa.privateKey).toString('base64url')}`
  }
  const verifyRs256 = createTokenVerifier('RS256', rsa.publicKey)
  assert.equal(typeof verifyRs256(craftRsa('RS256', 'sha256')), 'object')
  assert.equal(verifyRs256(craftRsa('RS512', 'sha512')), 'invalid token')
})

test('signatures are P1363, not DER', () => {
  assert.equal(isValidNow(craft({ exp: 2_000 }, { alg: 'ES256' }, 'der')), false)
})

test('a token has three segments of base64url with objects inside', () => {
  const good = craft({ exp: 2_000 })
  const [header = '', payload = '', signature = ''] = good.split('.')
  assert.equal(isValidNow(good), true)
  const broken = [
    '',
    '.',
    '..',
    '...',
    header,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${good}.`,
    `${good}.x`,
    `${good}=`,
    ` ${good}`,
    `${good}\n`,
    good.slice(0, -1),
    `${header}..${signature}`,
    `eHg.${payload}.${signature}`,
    craft([]),
    craft('x'),
    craft(null),
    'é.é.é',
    '\u0000'.repeat(10),
  ]
  for (const token of broken) assert.equal(isValidNow(token), false, JSON.stringify(token))
})

test('a token with one bit turned is refused', () => {
  const good = craft({ exp: 2_000, permissions: ['net:*'] })
  const [, payload = ''] = good.split('.')
  const bytes = Buffer.from(payload, 'base64url')
  for (let index = 0; index < bytes.length; index += 1) {
    const turned = Buffer.from(bytes)
    turned[index] = (turned[index] ?? 0) ^ 1
    assert.equal(isValidNow(good.replace(payload, turned.toString('base64url'))), false)
  }
})
