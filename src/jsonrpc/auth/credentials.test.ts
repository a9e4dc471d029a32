import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { checkCredentialsFile, createCredentialsFile, parseCredentials } from './credentials.ts'

const HASH = '$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC'
const folder = mkdtempSync(join(tmpdir(), 'cairn-credentials-'))
after(() => rmSync(folder, { recursive: true }))

function save(text: string): string {
  const path = join(folder, 'auth.toml')
  writeFileSync(path, text)
  return path
}

function refusal(text: string): string {
  const path = save(text)
  try {
    checkCredentialsFile(path, 'HTTP')
  } catch (error) {
    assert.ok(error instanceof Fault && error.kind === 'USAGE')
    assert.equal(error.cause, undefined, 'a cause may quote the file')
    return error.message
  }
  return 'accepted'
}

test('a user has name, hash, grants and perhaps a privacy key; other tables are ignored', () => {
  const users = parseCredentials(`
    [Users.alice]
    password = "${HASH}"
    permissions = ["net:*", "eth:blockNumber"]
    privacyPublicKey = "A1aV="
    groups = ["g"]
    [Groups.g]
    roles = 5
    [Roles.r]
    permissions = []`)
  assert.deepEqual([...users.keys()], ['alice'])
  const alice = users.get('alice')
  assert.equal(alice?.passwordHash?.reveal(), HASH)
  assert.deepEqual(alice?.grants, ['net:*', 'eth:blockNumber'])
  assert.equal(alice?.privacyPublicKey, 'A1aV=')
  assert.ok(!JSON.stringify(alice).includes(HASH), 'whoever prints a user prints no hash')
})

test('absent or empty permissions grant nothing, and the file is accepted', () => {
  const text = `[Users.a]\npassword = "${HASH}"\n[Users.b]\npassword = "${HASH}"\npermissions = []\n`
  assert.deepEqual(checkCredentialsFile(save(text), 'HTTP'), [])
  for (const user of parseCredentials(text).values()) assert.deepEqual(user.grants, [])
})

test('a dotted name is one user, quoted or not, and odd names are only names', () => {
  const entry = `password = "${HASH}"`
  const users = parseCredentials(
    `[Users."dotted.name"]\n${entry}\n[Users.a.b]\n${entry}\n[Users.__proto__]\n${entry}\n[Users.constructor]\n${entry}`,
  )
  assert.deepEqual([...users.keys()], ['dotted.name', 'a.b', '__proto__', 'constructor'])
  assert.match(
    refusal(`[Users."a.b"]\n${entry}\n[Users.a.b]\n${entry}`),
    /Invalid TOML configuration: user 'a\.b'/,
  )
})

test('a missing file is refused in the words of Besu, with the transport named', () => {
  assert.throws(
    () => checkCredentialsFile('/nowhere/auth.toml', 'WS'),
    /^Fault: The specified RPC WS authentication credential file '\/nowhere\/auth\.toml' does not exist/,
  )
})

test('invalid TOML is refused by line, without the content of the file', () => {
  const sentence = refusal(`[Users.a]\npassword = "${HASH}"\n[Users.a]\n`)
  assert.match(
    sentence,
    /^Invalid RPC HTTP authentication credentials file: Invalid TOML configuration: .*line 3/,
  )
  assert.ok(!sentence.includes('$2a$'))
  assert.ok(!refusal(`password = "${HASH}`).includes('$2a$'))
})

test('users without a password, wrong values and files without users are refused', () => {
  assert.match(refusal('[Users.a]\npermissions = ["*:*"]'), /^RPC user specified without password\. /)
  assert.match(refusal('[Users.a]'), /^RPC user specified without password\. /)
  const rest = `password = "${HASH}"`
  for (const line of [
    'permissions = "eth:*"',
    'permissions = [1]',
    'groups = []',
    'roles = "x"',
    'privacyPublicKey = ""',
    'privacyPublicKey = 5',
    'since = 2026-01-01',
    'email = "x@example.org"',
  ]) {
    const text = refusal(`[Users.a]\n${rest}\n${line}`)
    assert.match(text, /^RPC authentication configuration file contains invalid values\. See user 'a'/, line)
  }
  assert.match(refusal('[Users.a]\npassword = ""'), /^RPC authentication configuration file contains invalid/)
  assert.match(refusal('[Roles.a]\npermissions = ["x"]'), /names no user/)
  assert.match(refusal('Users = 5'), /names no user/)
  assert.match(refusal(' '.repeat(1024 * 1024 + 1)), /at most 1048576/)
})

test('a password in plain text starts the node with a warning that does not repeat it', () => {
  const warnings = checkCredentialsFile(save('[Users.a]\npassword = "hunter2"'), 'HTTP')
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /^User 'a' .* cannot log in/)
  assert.ok(!warnings[0]?.includes('hunter2'))
})

test('a change of the file is seen at the next load, however small and quick', () => {
  const path = save(`[Users.a]\npassword = "${HASH}"\npermissions = ["eth:*"]`)
  const file = createCredentialsFile(path)
  assert.deepEqual(file.load().get('a')?.grants, ['eth:*'])
  assert.equal(file.load(), file.load())
  writeFileSync(path, `[Users.a]\npassword = "${HASH}"\npermissions = ["net:*"]`)
  assert.deepEqual(file.load().get('a')?.grants, ['net:*'])
  rmSync(path)
  assert.throws(() => file.load(), Fault)
})
