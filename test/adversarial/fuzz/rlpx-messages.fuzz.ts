import assert from 'node:assert/strict'
import { LATER_HELLO } from '#p2p/rlpx/eip8.fixture.ts'
import { readAckBody, readAuthBody } from '#p2p/rlpx/handshake-packet.ts'
import { decodeDisconnect, decodeHello, encodeDisconnect, encodeHello } from '#p2p/rlpx/wire-messages.ts'
import { concatBytes } from '#types/bytes.ts'
import { parseDataLenient } from '#types/hex.ts'
import { encodeRlp } from '#types/rlp.ts'
import type { FuzzTarget } from './target.ts'

const bytes = (length: number) => new Uint8Array(length).fill(7)

/** The first byte selects the decoder for the rest. */
const READERS: readonly ((data: Uint8Array) => void)[] = [
  (data) => {
    const hello = decodeHello(data)
    assert.deepEqual(decodeHello(encodeHello(hello)), hello, 'The decoded HELLO encodes to a different one.')
  },
  (data) => {
    const reason = decodeDisconnect(data)
    assert.equal(decodeDisconnect(encodeDisconnect(reason)), reason)
  },
  (data) => assert.equal(readAuthBody(data, 'eip8').publicKey.length, 64),
  (data) => assert.equal(readAuthBody(data, 'legacy').nonce.length, 32),
  (data) => assert.equal(readAckBody(data, 'eip8').ephemeralKey.length, 64),
  (data) => assert.equal(readAckBody(data, 'legacy').nonce.length, 32),
]

const SEEDS = [
  parseDataLenient(LATER_HELLO),
  encodeDisconnect('tooManyPeers'),
  concatBytes(encodeRlp([bytes(65), bytes(64), bytes(32), bytes(1)]), bytes(100)),
  bytes(194),
  concatBytes(encodeRlp([bytes(64), bytes(32), bytes(1)]), bytes(100)),
  bytes(97),
]

const target: FuzzTarget = {
  name: 'rlpx-messages',
  seeds: () => SEEDS.map((seed, reader) => concatBytes(Uint8Array.of(reader), seed)),
  run: (input) => READERS[(input[0] ?? 0) % READERS.length]!(input.subarray(1)),
}

export default target
