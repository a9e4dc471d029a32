import { ipToBytes, isLoopback } from '#p2p/ip-bytes.ts'
import { isPrivate } from '#p2p/ip-range.ts'
import type { Random } from '#platform/random.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Neighbor } from './packet.ts'

export const BUCKET_NODES = 16
/** Those that are put in when a member of the bucket no longer answers. */
const BUCKET_REPLACEMENTS = 8
const HASH_BITS = 256
/** Nodes of one public network, IPv4 /24 or IPv6 /48; as many as geth keeps. */
const NETWORK_PER_BUCKET = 2
const NETWORK_PER_TABLE = 10
/** Nodes at one private address: a network inside a company may well have all its nodes in one /24. */
const PRIVATE_ADDRESS_PER_TABLE = 10

export interface TableNode extends Neighbor {
  /** Keccak of the id: where the node stands. */
  readonly place: Uint8Array
}

interface Bucket {
  /** The one heard of last comes last. */
  members: TableNode[]
  replacements: TableNode[]
}

/** Nodes that have proven their endpoint, near and far. A full bucket keeps its old members: they have shown to stay. */
export class NodeTable {
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

  /** Call when the node has proven its endpoint. True if it is a member then. */
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
   * It does not answer at this endpoint, or may not be here. The one heard of last takes its place. A node that is known at
   * another endpoint stays: anyone can claim an endpoint for it.
   */
  remove(node: Neighbor): void {
    const isOther = (known: TableNode) => known.id !== node.id || !isSameEndpoint(known, node)
    const bucket = this.#bucketOf(this.#keccak(parseDataLenient(node.id)))
    const others = bucket.members.filter(isOther)
    bucket.replacements = bucket.replacements.filter(isOther)
    if (others.length < bucket.members.length) {
      const next = bucket.replacements.pop()
      bucket.members = next === undefined ? others : [...others, next]
    }
  }

  get(id: string): TableNode | undefined {
    return this.#bucketOf(this.#keccak(parseDataLenient(id))).members.find((member) => member.id === id)
  }

  nodes(): readonly TableNode[] {
    return this.#buckets.flatMap(({ members }) => members)
  }

  /** Members, and those that would take their places. */
  known(): readonly TableNode[] {
    return this.#buckets.flatMap(({ members, replacements }) => [...members, ...replacements])
  }

  /** The nearest to a place, nearest first. */
  closest(place: Uint8Array, count: number): readonly TableNode[] {
    return nearestFirst(this.nodes(), place).slice(0, count)
  }

  /** One that was not heard of for long, from a bucket drawn by lot; undefined if the table is empty. */
  drawOld(random: Random): TableNode | undefined {
    const filled = this.#buckets.filter(({ members }) => members.length > 0)
    return filled.length === 0 ? undefined : filled[random.randomBelow(filled.length)]!.members[0]
  }

  /** No network fills the table, nor a bucket of it. */
  #hasRoomFor({ id, ip }: TableNode, bucket: Bucket): boolean {
    const limits = networkOf(ip)
    if (limits === undefined) return true
    const count = (nodes: readonly TableNode[]): number =>
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

/** If undefined, any number of nodes may be there: all of them are on this machine. */
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

/** How many bits are left after those that both have in common. */
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
