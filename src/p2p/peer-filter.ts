import { usageFault } from '#config/faults.ts'
import { type IpRange, isInRange } from './ip-range.ts'
import type { MayConnect } from './may-connect.ts'

const NODE_ID = /^(?:0x)?([0-9a-fA-F]{128})$/

export function parseBannedId(text: string): string {
  const id = NODE_ID.exec(text)?.[1]
  if (id === undefined) {
    throw usageFault(`Invalid ids supplied to '--banned-node-ids'. A node id has 128 hex digits: '${text}'.`)
  }
  return id.toLowerCase()
}

/** What options forbid is forbidden, whatever others permit. A name is judged by the address that it has. */
export function filterPeers(
  mayConnect: MayConnect,
  banned: ReadonlySet<string>,
  ranges: readonly IpRange[],
): MayConnect {
  if (banned.size === 0 && ranges.length === 0) return mayConnect
  return async (action, peer) => {
    if (banned.has(peer.id)) return false
    const isInside = peer.hostKind === 'name' || ranges.some((range) => isInRange(range, peer.host))
    return (ranges.length === 0 || isInside) && (await mayConnect(action, peer))
  }
}
