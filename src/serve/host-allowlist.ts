/** `malformed`: the Host header is missing in HTTP/1.1, or is not a host and port. */
export type HostVerdict = 'allowed' | 'refused' | 'malformed'

/** Prevents DNS rebinding: a page under a foreign name must not reach a node that trusts its network. */
export interface HostAllowlist {
  judge(host: string | undefined, httpVersion: string): HostVerdict
}

/** RFC 3986 authority without user information: an IPv6 literal or a registered name, and an optional port. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::(\d{0,5}))?$/i
const PORT_MAX = 65_535
/** Clients repeat the same few Host values; the limit only prevents a client from filling memory. */
const REMEMBERED_MAX = 64

/** `*` allows every well-formed host; an empty list allows none. */
export function createHostAllowlist(entries: readonly string[]): HostAllowlist {
  const admitsAll = entries.includes('*')
  // An empty entry must not admit an empty Host.
  const names = new Set(entries.filter((entry) => entry !== '').map(bareName))
  const remembered = new Set<string>()

  const judgeAnew = (host: string): HostVerdict => {
    const match = AUTHORITY.exec(host)
    if (match === null || Number(match[2] ?? 0) > PORT_MAX) return 'malformed'
    if (!admitsAll && !names.has(bareName(match[1] ?? ''))) return 'refused'
    if (remembered.size < REMEMBERED_MAX) remembered.add(host)
    return 'allowed'
  }

  return {
    judge(host, httpVersion) {
      if (host !== undefined) return remembered.has(host) ? 'allowed' : judgeAnew(host)
      if (httpVersion === '1.1') return 'malformed'
      return admitsAll ? 'allowed' : 'refused'
    },
  }
}

/** An operator may write ::1 or [::1]. */
function bareName(name: string): string {
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return bare.toLowerCase()
}
