import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSync } from '@node-rs/bcrypt'
import { platformFault } from '#platform/faults.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { type CredentialsFile, parseCredentials } from './credentials.ts'
import type { PasswordVerdict } from './login.ts'
import { createLogin, type LoginOptions } from './login.ts'
import type { LoginAdmission } from './login-limit.ts'
import { passwordHashCost, verifyPassword } from './password-hash.ts'
import { createAuthMetrics } from './refusals.ts'

const ALICE_HASH = hashSync('wonderland', { cost: 4 })
const CREDENTIALS = `
[Users.alice]
password = "${ALICE_HASH}"
permissions = ["net:*"]
[Users."dotted.name"]
password = "${ALICE_HASH}"
[Users.5]
password = "${hashSync('6', { cost: 4 })}"
[Users.plain]
password = "wonderland"
[Users.nobody]
permissions = ["*:*"]
[Users.broken]
password = "${ALICE_HASH}"
permissions = "*:*"
`

interface Setup {
  readonly text?: string
  readonly admission?: LoginAdmission
  readonly verdict?: PasswordVerdict
  readonly options?: Partial<LoginOptions>
}

function setUp({ text = CREDENTIALS, admission = { ok: true }, verdict, options }: Setup = {}) {
  const metrics = createMetrics({ prefix: '', onSourceError: assert.fail })
  const lines: string[] = []
  const hashes: string[] = []
  const addresses: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const credentials: CredentialsFile = { load: () => parseCredentials(text) }
  const login = createLogin({
    credentials,
    log: createLog({ level: 'TRACE', fd: 1, format: 'JSON', destination }),
    issueToken: (user) => `token of ${user.name}`,
    metrics: createAuthMetrics(metrics),
    admitLogin: async (address) => {
      addresses.push(address)
      return admission
    },
    passwords: {
      verify: async (password, hash) => {
        hashes.push(hash.reveal())
        return verdict ?? (verifyPassword(password.reveal(), hash.reveal()) ? 'match' : 'mismatch')
      },
    },
    ...options,
  })
  const post = (body: unknown) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return login(bytes, '192.0.2.1')
  }
  const counted = async () => (await metrics.exposition()).body
  return { post, lines, hashes, addresses, counted }
}

const REQUIRED = {
  status: 400,
  reason: 'Bad Request',
  contentType: null,
  body: 'Authentication failed: username and password are required.',
}
const INCORRECT = {
  status: 401,
  reason: 'Unauthorized',
  contentType: null,
  body: 'Authentication failed: the username or password is incorrect.',
}

test('name and password give a token, whatever else the body holds', async () => {
  const { post } = setUp()
  assert.deepEqual(await post({ username: 'alice', password: 'wonderland', x: 1 }), {
    status: 200,
    reason: 'OK',
    contentType: 'application/json',
    body: '{"token":"token of alice"}',
  })
  assert.equal((await post({ username: 'dotted.name', password: 'wonderland' })).status, 200)
  assert.equal((await post({ username: 5, password: 6 })).status, 200, 'as Besu, a number is its text')
})

test('a body that is not an object with both members is answered 400 and not counted', async () => {
  const { post, addresses, hashes } = setUp()
  const bodies = [
    '',
    '{}',
    'null',
    'hello',
    '[]',
    '"x"',
    '5',
    '{"username":"alice","password":"wonderland"',
    'username=alice&password=wonderland',
    '{"username":"alice"}',
    '{"password":"wonderland"}',
    '{"username":"alice","password":null}',
    '{"__proto__":{"username":"alice","password":"wonderland"}}',
    `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
  ]
  for (const body of bodies) assert.deepEqual(await post(body), REQUIRED, body.slice(0, 80))
  assert.deepEqual([addresses, hashes], [[], []])
})

test('every other failure is one and the same 401', async () => {
  const { post } = setUp()
  const attempts: [unknown, unknown][] = [
    ['alice', 'Wonderland'],
    ['alice', ''],
    ['alice', 5],
    ['alice', {}],
    ['alice', { toString: 1 }],
    [['alice'], 'wonderland'],
    ['Alice', 'wonderland'],
    ['', 'wonderland'],
    ['alice.password', 'wonderland'],
    ['__proto__', 'x'],
    ['unknown', 'wonderland'],
    ['plain', 'wonderland'],
    ['nobody', ''],
    ['broken', 'wonderland'],
  ]
  for (const [username, password] of attempts) {
    assert.deepEqual(await post({ username, password }), INCORRECT, JSON.stringify([username, password]))
  }
})

test('a failing login costs the same work as a successful one', async () => {
  const costs = [4, 5, 6]
  const entries = costs.map((cost) => `[Users.u${cost}]\npassword = "${hashSync('x', { cost })}"`).join('\n')
  const text = `${entries}\n[Users.plain]\npassword = "x"\n[Users.nobody]\npermissions = []`
  const { post, hashes } = setUp({ text })
  const costOf = async (username: string): Promise<number> => {
    await post({ username, password: 'wrong' })
    return passwordHashCost(hashes.at(-1) ?? '') ?? 0
  }
  const seen = new Set<number>()
  for (const username of ['plain', 'nobody', ...Array.from({ length: 60 }, (_, index) => `who${index}`)]) {
    const cost = await costOf(username)
    seen.add(cost)
    assert.equal(await costOf(username), cost, 'the same name, the same cost')
  }
  assert.deepEqual([...seen].sort(), costs)
})

test('a file that is away or broken refuses everyone, at the usual cost, and says why in the log', async () => {
  const { post, lines, hashes } = setUp({ text: '[Users' })
  assert.deepEqual(await post({ username: 'alice', password: 'wonderland' }), INCORRECT)
  assert.equal(passwordHashCost(hashes[0] ?? ''), 10)
  assert.match(lines.join(''), /Invalid TOML.*Credentials file is unusable/)
})

test('a refused login names a user of the file, and never a password, a hash or a name that is not in the file', async () => {
  const { post, lines, counted } = setUp()
  for (const username of ['alice', 'nobody', 'topsecret', 'plain'])
    await post({ username, password: 'hunter2' })
  assert.equal(lines.length, 4)
  assert.doesNotMatch(lines.join(''), /hunter2|topsecret|\$2/)
  assert.match(lines[0]!, /"remoteAddress":"192\.0\.2\.1","reason":"wrong password","user":"alice"/)
  assert.match(lines[1]!, /"reason":"unusable entry","user":"nobody"/)
  assert.match(lines[2]!, /"reason":"unknown user"/)
  assert.match(await counted(), /^rpc_failed_logins_total{reason="wrong password"} 1$/m)
})

test('an address over its limit gets the waiting time, and no password is verified', async () => {
  const { post, hashes, counted } = setUp({ admission: { ok: false, retryAfterSeconds: 12 } })
  const answer = await post({ username: 'alice', password: 'wonderland' })
  assert.equal(answer.status, 429)
  assert.equal(answer.reason, 'Too Many Requests')
  assert.match(answer.body, /Try again in 12 seconds\./)
  assert.deepEqual(answer.headers, ['retry-after', '12'])
  assert.match(await counted(), /^rpc_failed_logins_total{reason="too many attempts"} 1$/m)
  assert.deepEqual(hashes, [])
})

test('when verification or counting is overrun the answer is 503', async () => {
  const busy = await setUp({ verdict: 'busy' }).post({ username: 'alice', password: 'wonderland' })
  assert.equal(busy.status, 503)
  assert.deepEqual(busy.headers, ['retry-after', '5'])
  const full = platformFault('CHANNEL_FULL', { sentence: 'Too much work waits.' })
  const { post } = setUp({ options: { admitLogin: () => Promise.reject(full) } })
  assert.equal((await post({ username: 'alice', password: 'wonderland' })).status, 503)
})

test('a body larger than any login is refused unparsed', async () => {
  assert.equal((await setUp().post('x'.repeat(20_000))).status, 413)
})
