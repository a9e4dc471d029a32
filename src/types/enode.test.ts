import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Enode, formatEnode, parseEnode, sameEndpoint } from './enode.ts'
import type { Fault } from './fault.ts'

const ID =
  '6f8a80d14311c39f35f516fa664deaaaa13e85b2f7493f37f6144d86991ec012' +
  '937307647bd3b9a82abe2974e1407241d54947bbb39763a4cac9f77166ad92a0'

function reason(text: string): string {
  let found = ''
  assert.throws(
    () => parseEnode(text),
    (fault: Fault) => {
      const form = 'enode://<node_id>@<ip>:<listening_port>[?discport=<discovery_port>]'
      const start = `Invalid enode URL syntax '${text}'. Enode URL should have the following format '${form}'. `
      found = fault.data.sentence.slice(start.length)
      return fault.kind === 'INVALID_ENODE' && fault.data.sentence.startsWith(start)
    },
  )
  return found
}

test('an enode has its parts', () => {
  assert.deepEqual(parseEnode(`enode://${ID}@192.168.0.1:30303?discport=30301`), {
    id: ID,
    host: '192.168.0.1',
    hostKind: 'ipv4',
    tcpPort: 30303,
    udpPort: 30301,
  })
})

test('without a discovery port it is the listening port', () => {
  const enode = parseEnode(`enode://${ID}@10.0.0.1:4567`)
  assert.deepEqual([enode.tcpPort, enode.udpPort], [4567, 4567])
})

test('port 0 means no port', () => {
  assert.equal(parseEnode(`enode://${ID}@10.0.0.1:4567?discport=0`).udpPort, null)
  const deaf = parseEnode(`enode://${ID}@10.0.0.1:0`)
  assert.deepEqual([deaf.tcpPort, deaf.udpPort], [null, null])
  assert.equal(formatEnode(deaf), `enode://${ID}@10.0.0.1:0`)
})

test('scheme and node id are accepted in any case and printed in lower case', () => {
  const enode = parseEnode(`EnOdE://${ID.toUpperCase()}@10.0.0.1:4567`)
  assert.equal(formatEnode(enode), `enode://${ID}@10.0.0.1:4567`)
})

test('IPv6 is printed in its canonical form, in brackets', () => {
  const enode = parseEnode(`enode://${ID}@[2001:DB8:85A3:0:0:8A2E:0370:7334]:30303`)
  assert.equal(enode.host, '2001:db8:85a3::8a2e:370:7334')
  assert.equal(formatEnode(enode), `enode://${ID}@[2001:db8:85a3::8a2e:370:7334]:30303`)
})

test('an IPv4 address written as IPv6 is that IPv4 address', () => {
  const enode = parseEnode(`enode://${ID}@[::ffff:10.0.0.1]:30303`)
  assert.deepEqual([enode.host, enode.hostKind], ['10.0.0.1', 'ipv4'])
})

test('a path and a fragment are ignored', () => {
  assert.equal(
    formatEnode(parseEnode(`enode://${ID}@10.0.0.1:1/a?discport=2#b`)),
    `enode://${ID}@10.0.0.1:1?discport=2`,
  )
})

test('host names are accepted on request only', () => {
  const text = `enode://${ID}@Node-1.example.org:30303`
  const enode = parseEnode(text, { allowHostNames: true })
  assert.deepEqual([enode.host, enode.hostKind], ['node-1.example.org', 'name'])
  assert.equal(reason(text), 'Invalid ip address.')
})

test("every mistake is reported in Besu's words", () => {
  const reasons = {
    '': 'Invalid empty value.',
    ' ': 'Invalid empty value.',
    foo: "Missing 'enode' scheme.",
    '//foo': "Missing 'enode' scheme.",
    'enode:foo': 'Missing or invalid host or ip address.',
    [`enode://${ID}@:30303`]: 'Missing or invalid host or ip address.',
    [`enode://${ID}@192.0.1:30303`]: 'Missing or invalid host or ip address.',
    [`enode://${ID}@10.0.0.1:A`]: 'Missing or invalid host or ip address.',
    [`enode://${ID}@::1:30303`]: 'Missing or invalid host or ip address.',
    [`enode://${ID}@[::g]:30303`]: 'Missing or invalid host or ip address.',
    'enode://@10.0.0.1:30303': 'Missing node ID.',
    'enode://10.0.0.1:30303': 'Missing node ID.',
    [`http://${ID}@10.0.0.1:30303`]: 'Invalid URI scheme (must equal "enode").',
    [`enode://${ID}@10.0.0.1`]: 'listening port requires a value between 1 and 65535. Got -1.',
    [`enode://${ID}@10.0.0.1:`]: 'listening port requires a value between 1 and 65535. Got -1.',
    [`enode://${ID}@10.0.0.1:98765`]: 'listening port requires a value between 1 and 65535. Got 98765.',
    [`enode://${ID}@10.0.0.1:1?discport=98765`]:
      'discovery port requires a value between 1 and 65535. Got 98765.',
    [`enode://${ID}@10.0.0.1:1?`]: "Invalid discovery port: ''.",
    [`enode://${ID}@10.0.0.1:1?adiscport=1234`]: "Invalid discovery port: 'adiscport=1234'.",
    [`enode://${ID}@10.0.0.1:1?discport=1&x=2`]: "Invalid discovery port: 'discport=1&x=2'.",
    [`enode://${ID}@10.0.0.1:1?discport=123456`]: "Invalid discovery port: 'discport=123456'.",
    [`enode://${ID}@10.0.0.1:30303\n`]: 'Illegal character at index 151.',
  }
  for (const [text, expected] of Object.entries(reasons)) assert.equal(reason(text), expected, text)
})

test('a node id that is not 128 digits is reported on its own', () => {
  for (const id of [ID.slice(1), `${ID}0`, `0x${ID.slice(2)}`, `g${ID.slice(1)}`]) {
    const text = `enode://${id}@10.0.0.1:30303`
    assert.match(reason(text), /^Invalid node ID: node ID must have exactly 128 hexadecimal characters/)
    assert.throws(
      () => parseEnode(text),
      (fault: Fault) => fault.data.problem === 'nodeId',
    )
  }
})

test('overlong text is refused and not repeated in full', () => {
  assert.throws(
    () => parseEnode(`enode://${'a'.repeat(1_000_000)}`),
    (fault: Fault) => fault.kind === 'INVALID_ENODE' && fault.data.sentence.length < 500,
  )
})

const enodes: fc.Arbitrary<Enode> = fc
  .record({
    id: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 128, maxLength: 128 }),
    host: fc.oneof(
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    ),
    tcp: fc.nat({ max: 65_535 }),
    udp: fc.nat({ max: 65_535 }),
  })
  .map(({ id, host, tcp, udp }) => parseEnode(`enode://${id}@${host}:${tcp}?discport=${udp}`))

test('a formatted enode parses back to an equal one', () => {
  fc.assert(fc.property(enodes, (enode) => assert.deepEqual(parseEnode(formatEnode(enode)), enode)))
})

test('same endpoints agree in everything except the discovery port', () => {
  const enode = parseEnode(`enode://${ID}@10.0.0.1:1?discport=2`)
  const changes: Partial<Enode>[] = [{ id: ID.replace('6', '7') }, { host: '10.0.0.2' }, { tcpPort: 3 }]
  assert.ok(sameEndpoint(enode, { ...enode, udpPort: 3 }))
  for (const change of changes) assert.ok(!sameEndpoint(enode, { ...enode, ...change }))
})
