import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { servesEngineApi } from '#engine-api/require-stake.ts'
import { loadSharedSecret, readEngineAuthentication } from '#engine-api/shared-secret.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { settingsOf } from './settings.fixture.ts'
import { validateOptions } from './validate-options.ts'

const SECRET = 'ab'.repeat(32)

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-engine-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function genesisOf(config: object) {
  const verdict = parseGenesis(JSON.stringify({ config, difficulty: '0x1', gasLimit: '0x1c9c380' }))
  assert.ok(verdict.ok)
  return verdict.genesis
}

test('a secret is 64 hex digits, with or without 0x and white space around them', (t) => {
  const file = join(folderOf(t), 'jwt.hex')
  for (const text of [SECRET, `0x${SECRET}`, ` 0x${SECRET.toUpperCase().replace('0X', '0x')}\n`]) {
    writeFileSync(file, text)
    assert.equal(loadSharedSecret(file).reveal(), SECRET)
  }
  for (const text of ['', SECRET.slice(2), `${SECRET}00`, `${SECRET.slice(1)}g`, `${SECRET}\n${SECRET}`]) {
    writeFileSync(file, text)
    assert.throws(() => loadSharedSecret(file), { kind: 'USAGE', message: /must have exactly 32 bytes/ })
  }
  assert.throws(() => loadSharedSecret(join(file, 'missing')), { kind: 'USAGE' })
})

test('without a secret file, every start writes a new secret that only the owner can read', (t) => {
  const folder = folderOf(t)
  const settings = settingsOf(`--data-path=${folder}`, '--engine-rpc-enabled')
  const first = readEngineAuthentication(settings)
  const file = join(folder, 'jwt.hex')
  assert.deepEqual(first, { mode: 'sharedSecret', secretHex: readFileSync(file, 'utf8') })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.notDeepEqual(readEngineAuthentication(settings), first)
})

test('the Engine API is for networks that are, or become, proof of stake', () => {
  const on = settingsOf('--engine-rpc-enabled')
  const warnings: string[] = []
  const parts = { isDevelopment: false, warn: (sentence: string) => warnings.push(sentence) }
  assert.equal(servesEngineApi(on, genesisOf({ terminalTotalDifficulty: 0 }), parts), true)
  assert.equal(servesEngineApi(settingsOf(), genesisOf({ terminalTotalDifficulty: 0 }), parts), false)
  assert.equal(servesEngineApi(on, genesisOf({ ethash: {}, terminalTotalDifficulty: 1 }), parts), true)
  const message = /needs a proof-of-stake network/
  assert.throws(() => servesEngineApi(on, genesisOf({ ethash: {} }), parts), { kind: 'USAGE', message })
  assert.deepEqual(warnings, [])
  assert.equal(servesEngineApi(on, genesisOf({ qbft: {} }), parts), false)
  assert.equal(warnings.length, 1)
})

test('the port of the Engine API differs from the others', () => {
  const both = ['--engine-rpc-enabled', '--rpc-http-enabled', '--engine-rpc-http-port=8545']
  assert.throws(() => validateOptions(settingsOf(...both)), {
    message: /--rpc-http-port and --engine-rpc-port/,
  })
})
