import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import { createPublicKeyFile, loadPublicKey, type TokenAlgorithm } from './public-key.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-public-key-'))
after(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'key.pem')

const ec = (namedCurve: string): KeyObject => generateKeyPairSync('ec', { namedCurve }).publicKey
const rsa = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).publicKey
const toPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

function refusal(text: string, algorithm: TokenAlgorithm): string {
  writeFileSync(path, text)
  try {
    loadPublicKey(path, algorithm)
  } catch (error) {
    assert.ok(error instanceof Fault && error.kind === 'USAGE')
    return error.message
  }
  return 'accepted'
}

test('each algorithm takes the keys it fits and refuses the others', () => {
  const rsaAlgorithms: TokenAlgorithm[] = ['RS256', 'RS384', 'RS512']
  const fits: [string, KeyObject, TokenAlgorithm[]][] = [
    ['RSA 2048', rsa(2048), rsaAlgorithms],
    ['P-256', ec('prime256v1'), ['ES256']],
    ['secp256k1', ec('secp256k1'), ['ES256']],
    ['P-384', ec('secp384r1'), ['ES384']],
    ['P-521', ec('secp521r1'), ['ES512']],
    ['P-224', ec('secp224r1'), []],
    ['Ed25519', generateKeyPairSync('ed25519').publicKey, []],
    ['RSA-PSS', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey, []],
  ]
  const every: TokenAlgorithm[] = [...rsaAlgorithms, 'ES256', 'ES384', 'ES512']
  for (const [name, key, algorithms] of fits) {
    for (const algorithm of every) {
      const answer = refusal(toPem(key), algorithm)
      if (algorithms.includes(algorithm)) assert.equal(answer, 'accepted', `${name} ${algorithm}`)
      else assert.match(answer, new RegExp(`does not fit the algorithm ${algorithm}`), name)
    }
  }
})

test('an RSA key below 2048 bits is refused and its size named', () => {
  assert.match(refusal(toPem(rsa(1024)), 'RS256'), /at least 2048 bits, and this one has 1024/)
})

test('any PEM label will do, with text around it', () => {
  const pem = toPem(ec('prime256v1')).replaceAll('PUBLIC KEY', 'JWT VERIFICATION KEY')
  assert.equal(refusal(`issued by ops\n${pem.replaceAll('\n', '\r\n')}\nend`, 'ES256'), 'accepted')
})

test("a file without a public key is refused with Besu's message, and a private key is pointed out", () => {
  const format = /^Authentication RPC public key file format is invalid: /
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const pkcs1 = rsa(2048).export({ type: 'pkcs1', format: 'pem' }).toString()
  const half = toPem(ec('prime256v1')).slice(0, 100)
  for (const text of [
    '',
    'hello',
    half,
    pkcs8,
    pkcs1,
    '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
  ]) {
    assert.match(refusal(text, 'ES256'), format)
  }
  assert.match(refusal(pkcs8, 'ES256'), /holds a private key/)
  assert.throws(() => loadPublicKey('/nowhere', 'ES256'), /Authentication RPC public key could not be read: /)
})

test('a changed file is loaded within a second; an invalid one keeps the key and is reported once', () => {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'INFO', fd: 1, format: 'PLAIN', destination })
  const clock = createFakeClock()
  const keys = [ec('prime256v1'), ec('secp256k1')] as const
  writeFileSync(path, toPem(keys[0]))
  const file = createPublicKeyFile(path, 'ES256', clock, log)
  const current = () => file.keyAt(clock.wallMs())
  const first = current()
  assert.ok(first.equals(keys[0]))

  writeFileSync(path, toPem(keys[1]))
  clock.advance(999)
  assert.equal(current(), first, 'not looked at yet')
  clock.advance(1)
  const second = current()
  assert.ok(second.equals(keys[1]))
  assert.equal(lines.length, 1)

  const breakings = [() => writeFileSync(path, 'half a file'), () => rmSync(path)]
  for (const [index, breakIt] of breakings.entries()) {
    breakIt()
    for (let seconds = 0; seconds < 5; seconds += 1) {
      clock.advance(1_000)
      assert.equal(current(), second)
    }
    assert.equal(lines.length, 2 + index)
    assert.match(lines.at(-1) ?? '', /WARN.*keeping the previous key/)
  }

  clock.setWall(clock.wallMs() - 3_600_000)
  writeFileSync(path, toPem(keys[0]))
  assert.ok(current().equals(keys[0]), 'a clock set back does not stop the reload')
})
