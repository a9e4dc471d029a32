import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { hashSync } from '@node-rs/bcrypt'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { type Authenticator, createAuthenticator } from './create-authenticator.ts'
import { verifyPassword } from './password-hash.ts'
import { createAuthMetrics } from './refusals.ts'
import { generateTokenKey } from './tokens.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-authenticator-'))
after(() => rmSync(folder, { recursive: true }))
const log = createLog({ level: 'OFF', fd: 1, format: 'JSON', destination: { write: () => undefined } })
const metrics = createAuthMetrics(createMetrics({ prefix: '', onSourceError: () => undefined }))
const credentialsFile = join(folder, 'auth.toml')
const publicKeyFile = join(folder, 'key.pem')
const PUBLIC_KEY = { mode: 'publicKey', file: publicKeyFile, algorithm: 'ES256', noAuthMethods: [] } as const
const PARTS = { log, metrics, admitLogin: () => assert.fail(), passwords: null }
const HASH = hashSync('pw', { cost: 4 })

function saveUser(permissions: string): void {
  writeFileSync(credentialsFile, `[Users.alice]\npassword = "${HASH}"\npermissions = ${permissions}\n`)
}

function createWithCredentials(clock = createFakeClock(), noAuth: string[] = []): Authenticator {
  const tokenKeyPem = generateTokenKey().reveal()
  return createAuthenticator(
    { mode: 'credentials', file: credentialsFile, tokenKeyPem, noAuthMethods: noAuth },
    {
      clock,
      log,
      metrics,
      admitLogin: async () => ({ ok: true }),
      passwords: {
        verify: async (password, hash) =>
          verifyPassword(password.reveal(), hash.reveal()) ? 'match' : 'mismatch',
      },
    },
  )
}

function createWithPublicKey(clock: FakeClock): { authenticator: Authenticator; privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  writeFileSync(publicKeyFile, publicKey.export({ type: 'spki', format: 'pem' }))
  const authenticator = createAuthenticator(PUBLIC_KEY, { ...PARTS, clock })
  return { authenticator, privateKey }
}

async function logIn(authenticator: Authenticator): Promise<string> {
  const body = Buffer.from('{"username":"alice","password":"pw"}')
  const answer = await authenticator.login(body, '192.0.2.1')
  assert.equal(answer.status, 200)
  return `Bearer ${JSON.parse(answer.body).token}`
}

test('off: everything is allowed and login is not enabled', async () => {
  const authenticator = createAuthenticator({ mode: 'off' }, { ...PARTS, clock: createFakeClock() })
  assert.equal(authenticator.refusesUnread(undefined), false)
  assert.equal(authenticator.identify(undefined).mayCall('admin_addPeer'), true)
  const answer = await authenticator.login(Buffer.from('{}'), '192.0.2.1')
  assert.deepEqual(answer, {
    status: 400,
    reason: 'Authentication not enabled',
    contentType: null,
    body: '',
  })
})

test('a token of a login opens what the file granted at that time, until it expires', async () => {
  const clock = createFakeClock()
  const authenticator = createWithCredentials(clock)
  saveUser('["net:*"]')
  const first = await logIn(authenticator)
  saveUser('["eth:*"]')
  const second = await logIn(authenticator)
  const opens = (header: string) =>
    ['net_version', 'eth_call'].filter((method) => authenticator.identify(header).mayCall(method))
  assert.deepEqual(opens(first), ['net_version'])
  assert.deepEqual(opens(second), ['eth_call'])
  clock.advance(299_000)
  assert.deepEqual(opens(first), ['net_version'])
  clock.advance(1_000)
  assert.deepEqual(opens(first), [], 'a token found again is held to its time as well')
  clock.setWall(clock.wallMs() - 1_000_000)
  assert.deepEqual(opens(first), [], 'not before it was issued')
})

test('a token of one transport is worth nothing on the other', async () => {
  saveUser('["*:*"]')
  const http = createWithCredentials()
  const webSocket = createWithCredentials()
  assert.equal(webSocket.identify(await logIn(http)).mayCall('net_version'), false)
})

test('without a bearer token nothing is read, unless some method needs none', async () => {
  saveUser('[]')
  const strict = createWithCredentials()
  const lenient = createWithCredentials(createFakeClock(), ['net_version'])
  const token = await logIn(strict)
  const without = [
    undefined,
    '',
    'Basic YTpi',
    'Bearer',
    'Bearer ',
    `bearer ${token.slice(7)}`,
    token.slice(7),
  ]
  for (const header of without) {
    assert.equal(strict.refusesUnread(header), true, header)
    assert.equal(lenient.refusesUnread(header), false, header)
    assert.equal(lenient.identify(header).mayCall('net_version'), true)
    assert.equal(lenient.identify(header).mayCall('eth_call'), false)
  }
  for (const header of [token, 'Bearer x', `Bearer  ${token.slice(7)}`]) {
    assert.equal(strict.refusesUnread(header), false, header)
    assert.equal(strict.identify(header).mayCall('net_version'), false, header)
  }
})

function craft(privateKey: KeyObject, payload: object): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const input = `${encode({ alg: 'ES256' })}.${encode(payload)}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `Bearer ${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}

test('public key: tokens of the issuer open, login is not enabled, a changed key closes at once', async () => {
  const clock = createFakeClock()
  const old = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const next = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  const save = (key: KeyObject) => writeFileSync(publicKeyFile, key.export({ type: 'spki', format: 'pem' }))
  save(old.publicKey)
  const authenticator = createAuthenticator(PUBLIC_KEY, { ...PARTS, clock })
  const payload = { permissions: ['net:*'], exp: clock.wallMs() / 1_000 + 3_600 }
  const [oldToken, nextToken] = [craft(old.privateKey, payload), craft(next.privateKey, payload)]
  const opens = (token: string) => authenticator.identify(token).mayCall('net_version')
  assert.deepEqual([opens(oldToken), opens(nextToken)], [true, false])
  save(next.publicKey)
  clock.advance(1_000)
  assert.deepEqual([opens(oldToken), opens(nextToken)], [false, true], 'also one that was known before')
  assert.equal((await authenticator.login(Buffer.from('{}'), '192.0.2.1')).status, 400)
})

test('a token too long to be kept is still verified', () => {
  const clock = createFakeClock()
  const { authenticator, privateKey } = createWithPublicKey(clock)
  const permissions = Array.from({ length: 1_000 }, (_, index) => `eth:method${index}`)
  const token = craft(privateKey, { permissions, exp: clock.wallMs() / 1_000 + 60 })
  assert.equal(authenticator.identify(token).mayCall('eth_method999'), true)
  assert.equal(authenticator.identify(token).mayCall('eth_method1000'), false)
})

test('why a call was refused is one line with its id and never the token, and is counted', async () => {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const counters = createMetrics({ prefix: '', onSourceError: assert.fail })
  const clock = createFakeClock()
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  writeFileSync(publicKeyFile, pair.publicKey.export({ type: 'spki', format: 'pem' }))
  const authenticator = createAuthenticator(PUBLIC_KEY, {
    ...PARTS,
    clock,
    log: createLog({ level: 'INFO', fd: 1, format: 'JSON', destination }),
    metrics: createAuthMetrics(counters),
  })
  const now = clock.wallMs() / 1_000
  const permissions = ['net:*']
  const cases: [header: string | undefined, reason: string][] = [
    [undefined, 'no token'],
    ['Basic YTpi', 'no token'],
    ['Bearer x', 'invalid token'],
    [craft(other.privateKey, { permissions, exp: now + 60 }), 'invalid token'],
    [craft(pair.privateKey, { permissions }), 'no exp claim'],
    [craft(pair.privateKey, { permissions, exp: now - 1 }), 'expired'],
    [craft(pair.privateKey, { permissions, exp: now + 60, nbf: now + 10 }), 'not yet valid'],
    [craft(pair.privateKey, { permissions, username: 'bob', exp: now + 60 }), 'grant missing'],
  ]
  for (const [at, [header, reason]] of cases.entries()) {
    const caller = authenticator.identify(header)
    assert.equal(caller.mayCall('eth_call'), false)
    caller.noteRefusal?.({ requestId: `http-${at}`, method: 'eth_call' })
    const said = `"requestId":"http-${at}","method":"eth_call","reason":"${reason}"`
    assert.ok(lines.at(-1)!.includes('"level":"INFO"') && lines.at(-1)!.includes(said), lines.at(-1))
    const signature = header?.split('.')[2]
    if (signature !== undefined) assert.ok(!lines.at(-1)!.includes(signature))
  }
  assert.match(lines.at(-1)!, /"user":"bob"/)
  const flood = 1_000
  for (let at = 0; at < flood; at++) authenticator.identify(undefined).noteRefusal?.({ requestId: 'x' })
  assert.equal(lines.length, 60, 'the rest is for those who look at DEBUG')
  assert.match((await counters.exposition()).body, /unauthorized_calls_total{reason="no token"} 1002$/m)
})

test('a token with the same ending as a known one is verified like any other', () => {
  const clock = createFakeClock()
  const { authenticator, privateKey } = createWithPublicKey(clock)
  const exp = clock.wallMs() / 1_000 + 60
  const known = craft(privateKey, { permissions: ['*:*'], exp })
  assert.equal(authenticator.identify(known).mayCall('admin_addPeer'), true)
  const [header, , signature] = known.split('.')
  const payload = Buffer.from(JSON.stringify({ permissions: ['*:*'], exp: exp + 1 })).toString('base64url')
  const forged = `${header}.${payload}.${signature}`
  assert.equal(authenticator.identify(forged).mayCall('admin_addPeer'), false)
})
