import type { Random } from '#platform/random.ts'
import { parseDataLenient } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import type { Neighbor } from './packet.ts'

export const BUCKET_NODES = 16
/** Those that are put in when a member of the bucket no longer answers. */
const BUCKET_REPLACEMENTS = 8
const HASH_BITS = 256

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

  /** It does not answer, or may not be here. The one heard of last takes its place. */
  remove(id: string): void {
    const bucket = this.#bucketOf(this.#keccak(parseDataLenient(id)))
    const others = bucket.members.filter((member) => member.id !== id)
    bucket.replacements = bucket.replacements.filter((waiting) => waiting.id !== id)
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

  #bucketOf(place: Uint8Array): Bucket {
    return this.#buckets[distance(this.#place, place)]!
  }
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
