import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Fault } from '#types/fault.ts'
import { formatDigits } from '#types/hex.ts'
import { decodeRecord, encodeRecord, formatRecord } from './node-record.ts'

/** The example in EIP-778. */
const KEY = 'b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291'
const TEXT =
  'enr:-IS4QHCYrYZbAKWCBRlAy5zzaDZXJBGkcnh4MHcBFZntXNFrdvJjX04jRzjzCBOonrkTfj499SZuOh8R33Ls8RRcy5wBgmlkgnY0gmlwhH8AAAGJc2VjcDI1NmsxoQPKY0yuDUmstAHYpMa2_oxVtw0RW_QAdpzBQA8yWM0xOIN1ZHCCdl8'
const node = await testNode(createSeededRandom(4), KEY)
const { parts } = node
const EXAMPLE = {
  sequence: 1n,
  ip: '127.0.0.1',
  tcpPort: null,
  udpPort: 30303,
  ip6: null,
  tcp6Port: null,
  udp6Port: null,
  forkId: null,
}
const encoded = (text: string) => new Uint8Array(Buffer.from(text.slice(4), 'base64url'))
const invalid = (fault: Fault) => fault.kind === 'INVALID_NODE_RECORD'

test('the EIP-778 record is decoded and encoded to the same bytes', async () => {
  assert.deepEqual(decodeRecord(encoded(TEXT), parts), { ...EXAMPLE, id: formatDigits(node.publicKey) })
  assert.equal(formatRecord(await encodeRecord(parts.nodeKey, parts.keccak, EXAMPLE)), TEXT)
})

test('a record with both addresses and a fork id survives encoding and decoding', async () => {
  const record = {
    sequence: 1_763_000_000_000n,
    ip: '10.0.0.7',
    tcpPort: 30303,
    udpPort: 30303,
    ip6: '2001:db8::7',
    tcp6Port: 30404,
    udp6Port: 30404,
    forkId: { hash: Uint8Array.of(1, 2, 3, 4), next: 99n },
  }
  const bytes = await encodeRecord(parts.nodeKey, parts.keccak, record)
  assert.deepEqual(decodeRecord(bytes, parts), { ...record, id: formatDigits(node.publicKey) })
})

test('a record that was changed or is not canonical is refused', () => {
  const bytes = encoded(TEXT)
  for (let at = 0; at < bytes.length; at += 3) {
    assert.throws(() => decodeRecord(bytes.with(at, bytes[at]! ^ 1), parts), invalid)
  }
  assert.throws(() => decodeRecord(bytes.subarray(1), parts), invalid)
  assert.throws(() => decodeRecord(new Uint8Array(301), parts), invalid)
})
