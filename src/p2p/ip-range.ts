/** Ranges of IP addresses, as `10.0.0.0/8` or `2001:db8::/32`. */
import { usageFault } from '#config/faults.ts'
import { parseIpv4, parseIpv6 } from '#types/ip.ts'
import { ipToBytes } from './ip-bytes.ts'

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

/** Whether the address is of a local network, and of no one else's. */
export function isPrivate(ip: string): boolean {
  return PRIVATE.some((range) => isInRange(range, ip))
}
