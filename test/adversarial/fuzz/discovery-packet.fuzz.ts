import assert from 'node:assert/strict'
import { decodeRecord, encodeRecord } from '#p2p/discv4/node-record.ts'
import { decodePacket } from '#p2p/discv4/packet.ts'
import { DISCOVERY_PACKETS } from '#p2p/rlpx/eip8.fixture.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { concatBytes } from '#types/bytes.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { FuzzTarget } from './target.ts'

const { parts } = await testNode()
const endpoints = { ip: '10.0.0.1', tcpPort: 1, udpPort: 2, ip6: '::1', tcp6Port: 3, udp6Port: 4 }
const forkId = { hash: new Uint8Array(4), next: 5n }
const record = await encodeRecord(parts.nodeKey, parts.keccak, { sequence: 6n, forkId, ...endpoints })

const target: FuzzTarget = {
  name: 'discovery-packet',
  seeds: () => [
    ...Object.values(DISCOVERY_PACKETS).map((hex) => parseDataLenient(hex).subarray(32)),
    concatBytes(new Uint8Array(65), Uint8Array.of(6, 0xf8, 0x80), record),
    record,
  ],
  /**
   * Corrects the hash, which any sender can compute; the code after the hash check would not be reached otherwise.
   */
  run(input) {
    const { packet } = decodePacket(concatBytes(parts.keccak(input), input), parts.keccak)
    if (packet.type === 'neighbors') for (const { ip } of packet.nodes) assert.ok(ip.length > 2)
    if (packet.type === 'recordResponse') decodeRecord(packet.record, parts)
  },
}

export default target
