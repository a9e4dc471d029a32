import { ipv4InIpv6, parseIpv6 } from '#types/ip.ts'

/** One customer is given 2^64 IPv6 addresses: only the network part tells one from another. */
export function addressKey(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%', 1)
  const ipv4 = ipv4InIpv6(address)
  if (ipv4 !== null) return ipv4
  const ipv6 = parseIpv6(address)
  return ipv6 === null ? remoteAddress : networkPart(ipv6)
}

function networkPart(ipv6: string): string {
  const [head = '', tail] = ipv6.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = new Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
