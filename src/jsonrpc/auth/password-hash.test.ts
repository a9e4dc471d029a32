import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#types/fault.ts'
import { decoyHash, hashPassword, passwordHashCost, verifyPassword } from './password-hash.ts'

/** Of the password `pegasys`, from Besu's own test file. */
const PEGASYS = '$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC'

test('a new hash is spelled as Besu spells it and verifies its password only', () => {
  const hash = hashPassword('correct horse')
  assert.match(hash, /^\$2a\$10\$[./A-Za-z0-9]{53}$/)
  assert.equal(verifyPassword('correct horse', hash), true)
  assert.equal(verifyPassword('correct horsf', hash), false)
})

test('two hashes of one password differ', () => {
  assert.notEqual(hashPassword('x'), hashPassword('x'))
})

test('the three prefixes in use are the same algorithm, $2x$ is refused', () => {
  for (const prefix of ['$2a$', '$2b$', '$2y$']) {
    assert.equal(verifyPassword('pegasys', prefix + PEGASYS.slice(4)), true, prefix)
  }
  assert.equal(verifyPassword('pegasys', `$2x$${PEGASYS.slice(4)}`), false)
})

test('a text that is not a usable hash verifies nothing and has no cost', () => {
  const texts = [
    '',
    'pegasys',
    '$2a$10$',
    PEGASYS.slice(0, -1),
    `${PEGASYS}x`,
    PEGASYS.replace('$10$', '$99$'),
  ]
  // Well-formed, but it would hold the thread for hours.
  texts.push(PEGASYS.replace('$10$', '$31$'))
  // The last digit of the salt carries bits that stand for nothing.
  texts.push(`$2a$10$${'a'.repeat(53)}`)
  for (const text of texts) {
    assert.equal(verifyPassword('pegasys', text), false, text)
    assert.equal(passwordHashCost(text), null, text)
  }
})

test('a password longer than bcrypt reads is refused when hashing and cut when verifying', () => {
  assert.throws(
    () => hashPassword('é'.repeat(37)),
    (error) => error instanceof Fault && error.message.includes('74 bytes'),
  )
  const hash = hashPassword('é'.repeat(36))
  assert.equal(verifyPassword('é'.repeat(37), hash), true)
})

test('a decoy has the asked cost and is worked on like any other hash', () => {
  for (const cost of [4, 10, 12]) assert.equal(passwordHashCost(decoyHash(cost)), cost)
  assert.equal(verifyPassword('', decoyHash(4)), false)
  const startMs = performance.now()
  verifyPassword('x', decoyHash(10))
  assert.ok(performance.now() - startMs > 5, 'cost 10 is not free')
})
