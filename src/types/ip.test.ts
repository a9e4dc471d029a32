import assert from 'node:assert/strict'
import { isIPv4, isIPv6 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { ipBucket, ipv4InIpv6, parseIpv4, parseIpv6 } from './ip.ts'

test("IPv4 addresses match Node's parser", () => {
  const text = fc.oneof(fc.ipV4(), fc.string({ unit: fc.constantFrom(...'0123456789.x'), maxLength: 16 }))
  fc.assert(fc.property(text, (value) => assert.equal(parseIpv4(value) !== null, isIPv4(value), value)))
})

test("IPv6 addresses match Node's parser, without zones", () => {
  const text = fc.oneof(fc.ipV6(), fc.string({ unit: fc.constantFrom(...'019afF:.'), maxLength: 20 }))
  fc.assert(
    fc.property(text, (value) => assert.equal(parseIpv6(value) !== null, isIPv6(value), value)),
    { numRuns: 2000 },
  )
  assert.equal(parseIpv6('fe80::1%eth0'), null)
})

test('octets with leading zeros are refused, because some parsers take them as octal', () => {
  assert.equal(parseIpv4('192.168.010.1'), null)
})

test('IPv6 is formatted as in RFC 5952', () => {
  const forms = {
    '2001:DB8:0:0:0:0:0:1': '2001:db8::1',
    '2001:0db8::0001': '2001:db8::1',
    '0:0:0:0:0:0:0:0': '::',
    '::1': '::1',
    '1::': '1::',
    '2001:db8:0:1:1:1:1:1': '2001:db8:0:1:1:1:1:1',
    '2001:0:0:1:0:0:0:1': '2001:0:0:1::1',
    '2001:db8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    '64:ff9b::192.0.2.33': '64:ff9b::c000:221',
  }
  for (const [text, canonical] of Object.entries(forms)) assert.equal(parseIpv6(text), canonical)
})

test('the canonical form is its own canonical form', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = parseIpv6(text)
      assert.ok(canonical !== null)
      assert.equal(parseIpv6(canonical), canonical)
    }),
  )
})

test('addresses of one customer share a bucket: an IPv4 address, or the network part of an IPv6 address', () => {
  for (const text of ['10.0.0.1', '::ffff:10.0.0.1']) assert.equal(ipBucket(text), '10.0.0.1')
  for (const text of ['2001:db8::1', '2001:db8:0:0:ffff::', '2001:db8::1%eth0'])
    assert.equal(ipBucket(text), '2001:db8:0:0')
  assert.notEqual(ipBucket('2001:db8:0:1::1'), ipBucket('2001:db8::1'))
  assert.equal(ipBucket('nonsense'), 'nonsense')
})

test('an IPv4 address inside IPv6 is found, and only there', () => {
  assert.equal(ipv4InIpv6('::ffff:10.0.0.1'), '10.0.0.1')
  assert.equal(ipv4InIpv6('0:0:0:0:0:FFFF:0a00:0001'), '10.0.0.1')
  assert.equal(ipv4InIpv6('::10.0.0.1'), null)
  assert.equal(ipv4InIpv6('1::ffff:10.0.0.1'), null)
  assert.equal(ipv4InIpv6('nonsense'), null)
})
