import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { settingsOf } from '#node/settings.fixture.ts'
import { keyForNewChain, loadNodeKey } from '#p2p/key/key-file.ts'
import { encryptKey } from '#platform/keystore.ts'
import { systemRandom } from '#platform/random.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-node-key-'))
after(() => rmSync(root, { recursive: true }))
const KEY = new Uint8Array(32).fill(5)

let folders = 0
function directory(hasChain: boolean): string {
  const folder = join(root, `data-${folders++}`)
  mkdirSync(join(folder, 'database'), { recursive: true })
  if (hasChain) writeFileSync(join(folder, 'database', 'CURRENT'), 'MANIFEST-000002\n')
  return folder
}

const settingsIn = (folder: string, ...more: string[]) => settingsOf(`--data-path=${folder}`, ...more)

test('a key is created if there is no chain, and is the same the next time', () => {
  const settings = settingsIn(directory(false))
  const first = loadNodeKey(settings)
  assert.equal(first.created, true)
  assert.deepEqual(loadNodeKey(settings).publicKey, first.publicKey)
})

test('no key is created next to a chain, and the sentence says what to do', () => {
  const folder = directory(true)
  assert.throws(() => loadNodeKey(settingsIn(folder)), {
    kind: 'USAGE',
    message: /no node key at .*key\. Cairn does not generate another key.*Restore it.*cairn key new --to=/,
  })
  assert.deepEqual(readdirSync(folder), ['database'])
})

test('the key of a new chain is created together with it', () => {
  const fresh = directory(false)
  const make = keyForNewChain(settingsIn(fresh))
  writeFileSync(join(fresh, 'database', 'CURRENT'), 'MANIFEST-000002\n')
  make()
  assert.equal(loadNodeKey(settingsIn(fresh)).created, false)
  const named = directory(false)
  keyForNewChain(settingsIn(named, '--node-private-key-file=elsewhere'))()
  keyForNewChain(settingsIn(named, '--security-module=vault'))()
  const old = directory(true)
  keyForNewChain(settingsIn(old))()
  assert.deepEqual(
    [named, old].map((each) => existsSync(join(each, 'key'))),
    [false, false],
  )
})

test('a keystore is decrypted only with its password file', () => {
  const folder = directory(true)
  const [store, password] = [join(folder, 'key'), join(folder, 'password')]
  writeFileSync(store, encryptKey(KEY, 'open sesame', systemRandom))
  writeFileSync(password, 'open sesame\nignored\n')
  const { privateKey } = loadNodeKey(settingsIn(folder, `--node-key-password-file=${password}`))
  assert.deepEqual(privateKey.reveal(), KEY)
  assert.throws(() => loadNodeKey(settingsIn(folder)), { message: /is encrypted.*--node-key-password-file/ })
  writeFileSync(password, 'open\n')
  const refusal = { kind: 'KEYSTORE_REFUSED', message: /password does not open/ }
  assert.throws(() => loadNodeKey(settingsIn(folder, `--node-key-password-file=${password}`)), refusal)
  writeFileSync(password, '\n')
  assert.throws(
    () => loadNodeKey(settingsIn(folder, `--node-key-password-file=${password}`)),
    /no first line/,
  )
})

test('a password file for a plain key stops the start, and no plain key is created in its place', () => {
  const folder = directory(false)
  const named = settingsIn(folder, '--node-key-password-file=password')
  assert.throws(() => loadNodeKey(named), { kind: 'USAGE', message: /is not encrypted.*cairn key encrypt/ })
  assert.equal(existsSync(join(folder, 'key')), false)
  loadNodeKey(settingsIn(folder))
  assert.throws(() => loadNodeKey(named), { kind: 'USAGE', message: /is not encrypted/ })
})
