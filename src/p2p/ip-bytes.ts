/** IP addresses as four or sixteen bytes, and ranges of them. */

import { usageFault } from '#config/faults.ts'
import { assert } from '#types/assert.ts'
import { ipv4InIpv6, parseIpv4, parseIpv6 } from '#types/ip.ts'

const IPV4_BYTES = 4
const IPV6_BYTES = 16

/** Takes a canonical address. */
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

/** Returns a canonical address, or null if the length is wrong. IPv4 mapped to IPv6 becomes IPv4. */
export function ipFromBytes(bytes: Uint8Array): string | null {
  if (bytes.length === IPV4_BYTES) return bytes.join('.')
  if (bytes.length !== IPV6_BYTES) return null
  const groups = []
  for (let at = 0; at < IPV6_BYTES; at += 2) groups.push((bytes[at]! * 256 + bytes[at + 1]!).toString(16))
  const text = parseIpv6(groups.join(':'))!
  return ipv4InIpv6(text) ?? text
}

/** Canonical form of a socket address: IPv4 if it is mapped, without a zone. */
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

/** A range such as `10.0.0.0/8` or `2001:db8::/32`. */
export interface IpRange {
  readonly start: Uint8Array
  readonly bits: number
}

export function parseIpRange(text: string): IpRange {
  const [address = '', digits = '', more] = text.split('/')
  const ip = parseIpv4(address) ?? parseIpv6(address)
  const start = ip === null ? undefined : ipToBytes(ip)
  const bits = /^\d{1,3}$/.test(digits) ? Number(digits) : Number.NaN
  if (start === undefined || more !== undefined || !(bits <= start.length * 8)) {
    throw usageFault(`'${text}' is not a range of IP addresses such as 10.0.0.0/8 or 2001:db8::/32.`)
  }
  return { start, bits }
}

export function isInRange({ start, bits }: IpRange, ip: string): boolean {
  const bytes = ipToBytes(ip)
  if (bytes.length !== start.length) return false
  for (let at = 0; at * 8 < bits; at++) {
    const counted = Math.min(8, bits - at * 8)
    const mask = (0xff << (8 - counted)) & 0xff
    if (((bytes[at]! ^ start[at]!) & mask) !== 0) return false
  }
  return true
}

const PRIVATE = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
].map(parseIpRange)

/** Whether the address belongs to a private network. */
export function isPrivate(ip: string): boolean {
  return PRIVATE.some((range) => isInRange(range, ip))
}
