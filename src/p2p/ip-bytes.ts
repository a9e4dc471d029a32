/** IP addresses as packets have them: four or sixteen bytes. */
import { assert } from '#types/assert.ts'
import { ipv4InIpv6, parseIpv4, parseIpv6 } from '#types/ip.ts'

const IPV4_BYTES = 4
const IPV6_BYTES = 16

/** Of canonical text. */
export function ipToBytes(ip: string): Uint8Array {
  if (parseIpv4(ip) !== null) return Uint8Array.from(ip.split('.'), Number)
  assert(parseIpv6(ip) !== null, 'An address is IPv4 or IPv6.')
  const [head = '', tail] = ip.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const front = groups(head)
  const back = groups(tail ?? '')
  const zeros = new Array<string>(8 - front.length - back.length).fill('0')
  const bytes = new Uint8Array(IPV6_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [at, group] of [...front, ...zeros, ...back].entries()) {
    view.setUint16(at * 2, Number.parseInt(group, 16))
  }
  return bytes
}

/** Canonical text; IPv4 inside IPv6 is the same endpoint as IPv4. Null if it is neither. */
export function ipFromBytes(bytes: Uint8Array): string | null {
  if (bytes.length === IPV4_BYTES) return bytes.join('.')
  if (bytes.length !== IPV6_BYTES) return null
  const groups = []
  for (let at = 0; at < IPV6_BYTES; at += 2) groups.push((bytes[at]! * 256 + bytes[at + 1]!).toString(16))
  const text = parseIpv6(groups.join(':'))!
  return ipv4InIpv6(text) ?? text
}

/** Text of a socket: canonical, IPv4 where it is IPv4, without a zone. */
export function canonicalIp(text: string): string {
  const [address = ''] = text.split('%', 1)
  if (parseIpv4(address) !== null) return address
  const ipv6 = parseIpv6(address)
  assert(ipv6 !== null, 'The address of a socket is an IP address.')
  return ipv4InIpv6(ipv6) ?? ipv6
}

export function isLoopback(ip: string): boolean {
  return ip.startsWith('127.') || ip === '::1'
}
