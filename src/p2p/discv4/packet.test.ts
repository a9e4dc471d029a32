import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DISCOVERY_PACKETS, KEYS } from '#p2p/rlpx/eip8.fixture.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { recoverPublicKey } from '#types/curve.ts'
import type { Fault } from '#types/fault.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import {
  type DiscoveryPacket,
  decodePacket,
  encodePacket,
  NEIGHBORS_PER_PACKET,
  PACKET_MAX_BYTES,
} from './packet.ts'

const node = await testNode(createSeededRandom(3), KEYS.staticB)
const { nodeKey, keccak } = node.parts
const ID = formatDigits(node.publicKey)
const HASH = new Uint8Array(32).fill(8)
const ENDPOINT = { ip: '10.1.2.3', udpPort: 30303, tcpPort: 30304 }
const V6 = { ip: '2001:db8::1', udpPort: 1, tcpPort: 65_535 }
const COMMON = { expirationSeconds: 1_800_000_000 }
const invalid = (fault: Fault) => fault.kind === 'INVALID_DISCOVERY_PACKET'

test('EIP-8 packets with extra items and bytes are decoded', () => {
  const types = Object.values(DISCOVERY_PACKETS).map((hex) => {
    const received = decodePacket(parseDataLenient(hex), keccak)
    assert.equal(received.sender(recoverPublicKey), ID)
    return received.packet.type
  })
  assert.deepEqual(types, ['ping', 'ping', 'pong', 'findNode', 'neighbors'])
  const { packet } = decodePacket(parseDataLenient(DISCOVERY_PACKETS.neighbors), keccak)
  assert.ok(packet.type === 'neighbors')
  assert.deepEqual(
    packet.nodes.map(({ ip, udpPort, tcpPort }) => `${ip} ${udpPort} ${tcpPort}`),
    [
      '99.33.22.55 4444 4445',
      '1.2.3.4 1 1',
      '2001:db8:3c4d:15::abcd:ef12 3333 3333',
      '2001:db8:85a3:8d3:1319:8a2e:370:7348 999 1000',
    ],
  )
})

const PACKETS: readonly DiscoveryPacket[] = [
  { type: 'ping', from: ENDPOINT, to: V6, recordSequence: 7n, ...COMMON },
  { type: 'ping', from: { ip: null, udpPort: 0, tcpPort: 0 }, to: V6, recordSequence: null, ...COMMON },
  { type: 'pong', to: V6, pingHash: HASH, recordSequence: 0n, ...COMMON },
  { type: 'findNode', target: node.publicKey, ...COMMON },
  { type: 'neighbors', nodes: [], ...COMMON },
  { type: 'neighbors', nodes: new Array(NEIGHBORS_PER_PACKET).fill({ ...V6, id: ID }), ...COMMON },
  { type: 'recordRequest', ...COMMON },
  { type: 'recordResponse', requestHash: HASH, record: Uint8Array.of(0xc2, 0x01, 0x02) },
]

for (const packet of PACKETS) {
  test(`${packet.type} survives encoding and decoding, with its sender`, async () => {
    const { bytes, hash } = await encodePacket(nodeKey, keccak, packet)
    assert.ok(bytes.length <= PACKET_MAX_BYTES, `${bytes.length} bytes`)
    const received = decodePacket(bytes, keccak)
    assert.deepEqual(received.packet, packet)
    assert.deepEqual(received.hash, hash)
    assert.equal(received.sender(recoverPublicKey), ID)
  })
}

test('a packet that is changed, truncated, too long or of an unknown type is refused', async () => {
  const { bytes } = await encodePacket(nodeKey, keccak, PACKETS[0]!)
  for (const at of [0, 40, 98, bytes.length - 1]) {
    assert.throws(() => decodePacket(bytes.with(at, bytes[at]! ^ 1), keccak), invalid)
  }
  assert.throws(() => decodePacket(bytes.subarray(0, 98), keccak), invalid)
  assert.throws(() => decodePacket(new Uint8Array(PACKET_MAX_BYTES + 1), keccak), invalid)
  const unknown = bytes.with(97, 9)
  unknown.set(keccak(unknown.subarray(32)))
  assert.throws(() => decodePacket(unknown, keccak), invalid)
})

test('an expiration that is not a time is refused', async () => {
  const { bytes } = await encodePacket(nodeKey, keccak, { type: 'recordRequest', expirationSeconds: 2 ** 48 })
  assert.throws(() => decodePacket(bytes, keccak), invalid)
})
