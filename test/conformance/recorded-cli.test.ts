import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { type Files, filesMistake } from './suites/recorded-cli-files.ts'

function network(seed: number): Files {
  const key = new Uint8Array(32).fill(seed)
  const publicKey = publicKeyFromPrivate('secp256k1', key)
  const address = addressFromPublicKey(publicKey)
  return {
    'out/genesis.json': `{ "extraData" : "0xf83aa0d594${address.slice(2)}c080c0" }`,
    [`out/keys/${address}/key.priv`]: formatData(key),
    [`out/keys/${address}/key.pub`]: formatData(publicKey),
  }
}

const RECORDED = network(1)
const isWrong = (files: Files) => filesMistake(RECORDED, files, false) !== undefined

test('a network with other keys is the recorded one, as long as they belong together', () => {
  assert.equal(filesMistake(RECORDED, network(2), false), undefined)
  assert.notEqual(filesMistake(RECORDED, network(2), true), undefined)
})

test('a key file that is missing, too much, of another key or of no key is noticed', () => {
  const ours = network(2)
  const [genesis, priv, pub] = Object.keys(ours) as [string, string, string]
  const others = Object.values(network(3)) as [string, string, string]
  const { [priv]: _, ...withoutPrivate } = ours
  assert.ok(isWrong(withoutPrivate))
  assert.ok(isWrong({ ...ours, 'out/notes.txt': '' }))
  assert.ok(isWrong({ ...ours, [priv]: others[1] }))
  assert.ok(isWrong({ ...ours, [pub]: others[2] }))
  assert.ok(isWrong({ ...ours, [pub]: '0x1234' }))
  assert.ok(isWrong({ ...ours, [genesis]: others[0] }))
})
