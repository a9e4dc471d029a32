/** `malformed`: no Host header where HTTP/1.1 demands one, or one that is no host and port. */
export type HostVerdict = 'allowed' | 'refused' | 'malformed'

/** Guards against DNS rebinding: a page under a foreign name must not reach a node that trusts its network. */
export interface HostAllowlist {
  judge(host: string | undefined, httpVersion: string): HostVerdict
}

/** RFC 3986 authority without user information: an IPv6 literal or a registered name, then perhaps a port. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::(\d{0,5}))?$/i
const PORT_MAX = 65_535
/** Clients send the same few Host values for ever; the bound only stops a client from filling memory. */
const REMEMBERED_MAX = 64

/** `*` among the entries admits every well-formed host; no entries admit none. */
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
