/** IP addresses as text in one canonical form, so two spellings of an address are equal. */

/** Four decimal numbers: returns the text, which has no other form, or null. */
export function parseIpv4(text: string): string | null {
  const parts = text.split('.', 5)
  if (parts.length !== 4) return null
  // A leading zero would be octal to some parsers and decimal to others.
  return parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255) ? text : null
}

/**
 * Eight groups, or fewer around one `::`; the last two may be written as IPv4. No zone, no brackets. Returns the form
 * of RFC 5952, or null.
 */
export function parseIpv6(text: string): string | null {
  const groups = parseGroups(text)
  return groups === null ? null : formatGroups(groups)
}

/** The IPv4 address inside `::ffff:a.b.c.d`, which is the same endpoint, or null. */
export function ipv4InIpv6(text: string): string | null {
  const groups = parseGroups(text)
  if (groups === null || groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return null
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

/**
 * The part of an address by which callers and peers are counted. One customer has 2^64 IPv6 addresses, so only the
 * network part (/64) counts.
 */
export function ipBucket(text: string): string {
  const [address = ''] = text.split('%', 1)
  const ipv4 = ipv4InIpv6(address)
  if (ipv4 !== null) return ipv4
  const groups = parseGroups(address)
  if (groups === null) return text
  return groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

function parseGroups(text: string): number[] | null {
  const [head, tail, more] = text.split('::', 3)
  if (head === undefined || more !== undefined) return null
  const front = parseRun(head, tail === undefined)
  if (tail === undefined) return front?.length === 8 ? front : null
  const back = parseRun(tail, true)
  if (front === null || back === null || front.length + back.length > 7) return null
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

/** Groups between colons; the IPv4 form is allowed at the end of the address only. */
function parseRun(text: string, isLast: boolean): number[] | null {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':', 9)
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16))
      continue
    }
    if (!isLast || index !== parts.length - 1 || parseIpv4(part) === null) return null
    const [a, b, c, d] = part.split('.').map(Number) as [number, number, number, number]
    groups.push((a << 8) | b, (c << 8) | d)
  }
  return groups
}

/** RFC 5952: the longest run of at least two zero groups, the first of equals, becomes `::`. */
function formatGroups(groups: readonly number[]): string {
  let start = 0
  let length = 0
  for (let from = 0; from < groups.length; from++) {
    let to = from
    while (to < groups.length && groups[to] === 0) to++
    if (to - from > length) [start, length] = [from, to - from]
  }
  const texts = groups.map((group) => group.toString(16))
  if (length < 2) return texts.join(':')
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`
}
