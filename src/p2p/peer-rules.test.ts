import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Enode } from '#types/enode.ts'
import { isInRange, parseIpRange } from './ip-bytes.ts'
import { PeerRules, parseBannedId, withinRules } from './peer-rules.ts'

const peer = (id: string, host: string): Enode => ({
  id: id.repeat(128),
  host,
  hostKind: host.includes(':') ? 'ipv6' : 'ipv4',
  tcpPort: 30303,
  udpPort: 30303,
})

test('an address is in a range if the prefix matches', () => {
  const within = (range: string, ip: string) => isInRange(parseIpRange(range), ip)
  assert.ok(within('10.0.0.0/8', '10.255.1.2'))
  assert.ok(!within('10.0.0.0/8', '11.0.0.1'))
  assert.ok(within('192.168.4.0/22', '192.168.7.255'))
  assert.ok(!within('192.168.4.0/22', '192.168.8.0'))
  assert.ok(within('0.0.0.0/0', '1.2.3.4'))
  assert.ok(within('127.0.0.1/32', '127.0.0.1'))
  assert.ok(within('2001:db8::/33', '2001:db8:7fff::1'))
  assert.ok(!within('2001:db8::/33', '2001:db8:8000::1'))
  assert.ok(!within('2001:db8::/33', '10.0.0.1'))
})

test('an invalid range or id is refused with an example', () => {
  for (const text of ['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'x/8', '::/129', '10.0.0.0/8/8', '10.0.0.0/']) {
    assert.throws(() => parseIpRange(text), /is not a range/)
  }
  assert.throws(() => parseBannedId('0x12'), /128 hex digits/)
  assert.equal(parseBannedId(`0x${'A'.repeat(128)}`), 'a'.repeat(128))
})

test('a banned node and a node outside all ranges are refused', () => {
  const rules = new PeerRules(['b'.repeat(128)], ['10.0.0.0/8', '::/0'].map(parseIpRange), undefined)
  assert.equal(rules.permits(peer('a', '10.1.1.1')), true)
  assert.equal(rules.permits(peer('a', '11.1.1.1')), false)
  assert.equal(rules.permits(peer('b', '10.1.1.1')), false)
  assert.equal(rules.permits(peer('a', '2001:db8::1')), true)
  assert.equal(rules.permitsHost('b'.repeat(128), '10.1.1.1'), false)
})

test('only listed nodes are permitted, by id, address and port, until the list is replaced', () => {
  const rules = new PeerRules([], [], [peer('a', '10.0.0.1')])
  assert.equal(rules.permits(peer('a', '10.0.0.1')), true)
  assert.equal(rules.permits({ ...peer('a', '10.0.0.1'), tcpPort: 1 }), false)
  assert.equal(rules.permits(peer('a', '10.0.0.2')), false)
  assert.equal(rules.permits(peer('b', '10.0.0.1')), false)
  assert.equal(rules.permitsHost('a'.repeat(128), '10.0.0.1'), true)
  assert.equal(rules.permitsHost('b'.repeat(128), '10.0.0.1'), false)
  rules.permitOnly([])
  assert.equal(rules.permits(peer('a', '10.0.0.1')), false)
  assert.equal(
    new PeerRules(['a'.repeat(128)], [], [peer('a', '10.0.0.1')]).permits(peer('a', '10.0.0.1')),
    false,
  )
})

test('every lookup in the list is counted, and none without a list', () => {
  const looks: boolean[] = []
  const rules = new PeerRules([], [], [peer('a', '10.0.0.1')], (isPermitted) => looks.push(isPermitted))
  rules.permits(peer('a', '10.0.0.1'))
  rules.permitsHost('b'.repeat(128), '10.0.0.1')
  rules.permitOnly(undefined)
  rules.permits(peer('a', '10.0.0.1'))
  assert.deepEqual(looks, [true, false])
})

test('plugins decide only within the rules, and a concurrent change of the list counts', async () => {
  const rules = new PeerRules([], [], [peer('a', '10.0.0.1')])
  const asked: string[] = []
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const may = withinRules(rules, (action, { id }) => {
    asked.push(`${action} ${id[0]}`)
    return promise
  })
  assert.equal(await may('connectInbound', peer('b', '10.0.0.1')), false)
  const waiting = may('connectInbound', peer('a', '10.0.0.1'))
  rules.permitOnly([])
  resolve(true)
  assert.equal(await waiting, false)
  assert.deepEqual(asked, ['connectInbound a'])
  rules.permitOnly(undefined)
  assert.equal(await may('bondInbound', peer('b', '10.0.0.1')), true)
})

test('an address without a permitted node or outside all ranges is refused and counted', () => {
  let refused = 0
  const count = (isPermitted: boolean): void => {
    if (!isPermitted) refused += 1
  }
  const rules = new PeerRules([], [], [peer('a', '10.1.1.1')], count)
  assert.equal(rules.permitsAddress('10.1.1.1'), true)
  assert.equal(rules.permitsAddress('10.1.1.2'), false)
  assert.equal(refused, 1)
  rules.permitOnly(undefined)
  assert.equal(rules.permitsAddress('10.1.1.2'), true)
  assert.equal(new PeerRules([], [parseIpRange('10.0.0.0/8')], undefined).permitsAddress('11.1.1.1'), false)
})
