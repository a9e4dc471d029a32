import { ipToBytes, isLoopback, isPrivate } from '#p2p/ip-bytes.ts'
import type { Random } from '#platform/random.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Neighbor } from './packet.ts'

export const BUCKET_NODES = 16
/** Maximum nodes that wait for a member of the bucket to fail. */
const BUCKET_REPLACEMENTS = 8
const HASH_BITS = 256
/** Maximum nodes of one public network (IPv4 /24 or IPv6 /48), as in geth. */
const NETWORK_PER_BUCKET = 2
const NETWORK_PER_TABLE = 10
/** Maximum nodes at one private address; a company network may have all its nodes in one /24. */
const PRIVATE_ADDRESS_PER_TABLE = 10

export interface ListedNode extends Neighbor {
  /** Keccak of the id, which is the node's position. */
  readonly place: Uint8Array
}

interface Bucket {
  /** The node heard of last comes last. */
  members: ListedNode[]
  replacements: ListedNode[]
}

/** Nodes that proved their endpoint, by distance. A full bucket keeps its old members, which have proven stable. */
export class BucketList {
  readonly #keccak: Keccak
  readonly #self: string
  readonly #place: Uint8Array
  readonly #buckets: readonly Bucket[] = Array.from({ length: HASH_BITS + 1 }, () => ({
    members: [],
    replacements: [],
  }))

  constructor(self: string, keccak: Keccak) {
    this.#keccak = keccak
    this.#self = self
    this.#place = keccak(parseDataLenient(self))
  }

  get size(): number {
    return this.#buckets.reduce((sum, { members }) => sum + members.length, 0)
  }

  /** Adds a node that proved its endpoint. Returns true if it is a member now. */
  add(neighbor: Neighbor): boolean {
    if (neighbor.id === this.#self) return false
    const node = { ...neighbor, place: this.#keccak(parseDataLenient(neighbor.id)) }
    const bucket = this.#bucketOf(node.place)
    if (!this.#hasRoomFor(node, bucket)) return false
    const others = bucket.members.filter(({ id }) => id !== node.id)
    if (others.length < BUCKET_NODES) {
      bucket.members = [...others, node]
      bucket.replacements = bucket.replacements.filter(({ id }) => id !== node.id)
      return true
    }
    const waiting = bucket.replacements.filter(({ id }) => id !== node.id)
    bucket.replacements = [...waiting, node].slice(-BUCKET_REPLACEMENTS)
    return false
  }

  /**
   * Removes a node that does not answer at this endpoint or is not permitted; the replacement heard of last takes its place. A
   * node known at another endpoint stays, because anyone can claim an endpoint for it.
   */
  remove(node: Neighbor): void {
    const isOther = (known: ListedNode) => known.id !== node.id || !isSameEndpoint(known, node)
    const bucket = this.#bucketOf(this.#keccak(parseDataLenient(node.id)))
    const others = bucket.members.filter(isOther)
    bucket.replacements = bucket.replacements.filter(isOther)
    if (others.length < bucket.members.length) {
      const next = bucket.replacements.pop()
      bucket.members = next === undefined ? others : [...others, next]
    }
  }

  get(id: string): ListedNode | undefined {
    return this.#bucketOf(this.#keccak(parseDataLenient(id))).members.find((member) => member.id === id)
  }

  nodes(): readonly ListedNode[] {
    return this.#buckets.flatMap(({ members }) => members)
  }

  /** Members and replacements. */
  known(): readonly ListedNode[] {
    return this.#buckets.flatMap(({ members, replacements }) => [...members, ...replacements])
  }

  /** The nodes closest to a place, closest first. */
  closest(place: Uint8Array, count: number): readonly ListedNode[] {
    return nearestFirst(this.nodes(), place).slice(0, count)
  }

  /** A node not heard of for long, from a random bucket; undefined if the list is empty. */
  drawOld(random: Random): ListedNode | undefined {
    const filled = this.#buckets.filter(({ members }) => members.length > 0)
    return filled.length === 0 ? undefined : filled[random.randomBelow(filled.length)]!.members[0]
  }

  /** Whether the node's network is below its limits per list and bucket. */
  #hasRoomFor({ id, ip }: ListedNode, bucket: Bucket): boolean {
    const limits = networkOf(ip)
    if (limits === undefined) return true
    const count = (nodes: readonly ListedNode[]): number =>
      nodes.filter((other) => other.id !== id && networkOf(other.ip)?.network === limits.network).length
    return (
      count(this.known()) < limits.perTable &&
      count([...bucket.members, ...bucket.replacements]) < limits.perBucket
    )
  }

  #bucketOf(place: Uint8Array): Bucket {
    return this.#buckets[distance(this.#place, place)]!
  }
}

export function isSameEndpoint(one: Neighbor, other: Neighbor): boolean {
  return one.ip === other.ip && one.udpPort === other.udpPort
}

interface NetworkLimits {
  readonly network: string
  readonly perBucket: number
  readonly perTable: number
}

/** Undefined for loopback addresses, which have no limit. */
function networkOf(ip: string): NetworkLimits | undefined {
  if (isLoopback(ip)) return undefined
  if (isPrivate(ip)) {
    return { network: ip, perBucket: PRIVATE_ADDRESS_PER_TABLE, perTable: PRIVATE_ADDRESS_PER_TABLE }
  }
  const bytes = ipToBytes(ip)
  const network = bytes.subarray(0, bytes.length === 4 ? 3 : 6).join('.')
  return { network, perBucket: NETWORK_PER_BUCKET, perTable: NETWORK_PER_TABLE }
}

export function nearestFirst<Node extends { readonly place: Uint8Array }>(
  nodes: readonly Node[],
  place: Uint8Array,
): Node[] {
  return [...nodes].sort((a, b) => compareDistance(a.place, b.place, place))
}

/** The number of bits after the common prefix. */
function distance(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at++) {
    const difference = a[at]! ^ b[at]!
    if (difference !== 0) return HASH_BITS - at * 8 - (Math.clz32(difference) - 24)
  }
  return 0
}

function compareDistance(a: Uint8Array, b: Uint8Array, place: Uint8Array): number {
  for (let at = 0; at < place.length; at++) {
    const difference = (a[at]! ^ place[at]!) - (b[at]! ^ place[at]!)
    if (difference !== 0) return difference
  }
  return 0
}
