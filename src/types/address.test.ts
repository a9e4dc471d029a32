import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressFromBytes, addressToBytes, parseAddress, withChecksum } from './address.ts'

const ADDRESS = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'

test('an address is the same value in any case and with or without prefix', () => {
  for (const text of [
    ADDRESS,
    ADDRESS.slice(2),
    ADDRESS.toUpperCase(),
    '0xFE3B557E8Fb62b89F4916B721be55cEb828dBd73',
  ]) {
    assert.equal(parseAddress(text), ADDRESS)
  }
})

test('the case of the letters is the EIP-55 checksum', () => {
  for (const text of [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
  ]) {
    assert.equal(withChecksum(parseAddress(text)), text)
  }
})

test('an address survives conversion to bytes and back', () => {
  const address = parseAddress(ADDRESS)
  assert.equal(addressFromBytes(addressToBytes(address)), address)
})

test('text that is not exactly 20 bytes of hex is refused', () => {
  for (const text of [
    '',
    '0x',
    ADDRESS.slice(0, -1),
    `${ADDRESS}00`,
    `0x0x${ADDRESS.slice(4)}`,
    `${ADDRESS}\n`,
    'null',
  ]) {
    assert.throws(() => parseAddress(text), { name: 'Fault', kind: 'INVALID_ADDRESS' })
  }
})

test('bytes of another length are a bug in the caller', () => {
  assert.throws(() => addressFromBytes(new Uint8Array(32)), { name: 'AssertionFailure' })
})
