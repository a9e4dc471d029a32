import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DISCONNECT_REASONS, type DisconnectReason } from '#p2p/disconnect.ts'
import type { Fault } from '#types/fault.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import { encodeRlp } from '#types/rlp.ts'
import { LATER_HELLO } from './eip8.fixture.ts'
import { decodeDisconnect, decodeHello, encodeDisconnect, encodeHello } from './wire-messages.ts'

const invalid = (fault: Fault) => fault.kind === 'INVALID_WIRE_MESSAGE'
const bytes = parseDataLenient

test('the EIP-8 HELLO of a later version with extra items is decoded', () => {
  const { publicKey, ...hello } = decodeHello(bytes(LATER_HELLO))
  assert.deepEqual(hello, {
    p2pVersion: 55,
    clientId: 'kneth/v0.91/plan9',
    capabilities: [
      { name: 'eth', version: 61 },
      { name: 'mork', version: 22 },
    ],
    listenPort: 9999,
  })
  assert.equal(formatDigits(publicKey).slice(0, 16), 'fda1cff674c90c9a')
})

test('HELLO survives encoding and decoding', () => {
  const hello = {
    p2pVersion: 5,
    clientId: 'cairn/v0.1.0',
    capabilities: [{ name: 'eth', version: 68 }],
    listenPort: 0,
    publicKey: new Uint8Array(64).fill(3),
  }
  assert.deepEqual(decodeHello(encodeHello(hello)), hello)
})

test('the texts of a HELLO have no control characters', () => {
  const name = Buffer.from('a\u001b[2J\u00ff')
  const id = new Uint8Array(64)
  const data = encodeRlp([Uint8Array.of(5), name, [], new Uint8Array(0), id])
  assert.equal(decodeHello(data).clientId, 'a?[2J??')
})

test('a HELLO that is incomplete, too long or too deep is refused', () => {
  const id = new Uint8Array(64)
  const none = new Uint8Array(0)
  for (const item of [
    none,
    [],
    [none, none, none, none, id],
    [none, none, [], none],
    [none, none, [], none, id.subarray(1)],
    [none, none, [none], none, id],
    [none, none, [[]], none, id],
    [none, none, [], Uint8Array.of(1, 0, 0), id],
    [none, new Uint8Array(2048), [], none, id],
    [none, none, new Array(256).fill([none, none]), none, id],
  ]) {
    assert.throws(() => decodeHello(encodeRlp(item)), invalid)
  }
  assert.throws(() => decodeHello(new Uint8Array(1_000).fill(0xc1)), invalid)
})

test('every reason is decoded, as a list and as the bare code', () => {
  for (const reason of Object.keys(DISCONNECT_REASONS) as DisconnectReason[]) {
    assert.equal(decodeDisconnect(encodeDisconnect(reason)), reason)
    const { code } = DISCONNECT_REASONS[reason]
    if (code !== null) assert.equal(decodeDisconnect(Uint8Array.of(code)), reason)
  }
  assert.equal(formatDigits(encodeDisconnect('requested')), 'c100')
  assert.equal(formatDigits(encodeDisconnect('unknown')), 'c180')
})

test('a DISCONNECT with an unknown reason is accepted', () => {
  for (const data of ['', 'c0', 'c1', '80', 'c17f', '82ffff', 'f8']) {
    assert.equal(decodeDisconnect(bytes(data)), 'unknown')
  }
})
