import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { accessListFromRlp, accessListToRlp } from './access-list.ts'

const ADDRESS = parseAddress('35'.repeat(20))
const KEY = parseHash('00'.repeat(32))

test('an access list survives its encoding, repetitions included', () => {
  for (const list of [
    [],
    [{ address: ADDRESS, storageKeys: [] }],
    [
      { address: ADDRESS, storageKeys: [KEY, KEY] },
      { address: ADDRESS, storageKeys: [KEY] },
    ],
  ]) {
    assert.deepEqual(accessListFromRlp(accessListToRlp(list)), list)
  }
})

test('an entry of another shape is refused', () => {
  const address = new Uint8Array(20)
  for (const item of [address, [[address]], [[address, [], []]], [[address, [address]]], [[[], []]]]) {
    assert.throws(() => accessListFromRlp(item), { name: 'Fault', kind: 'INVALID_RLP' })
  }
})
