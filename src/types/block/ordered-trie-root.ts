/**
 * The root of a Merkle Patricia trie computed in memory: for transactions, receipts and withdrawals of a block, and
 * for small states. Persistent tries belong to the store.
 */
import { assert } from '#types/assert.ts'
import { compareBytes, equalBytes } from '#types/bytes.ts'
import { HASH_BYTES, type Hash, hashFromBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, encodeRlpShared, type RlpItem, rlpScalar } from '#types/rlp.ts'

export type TrieEntry = readonly [key: Uint8Array, value: Uint8Array]

const BRANCHES = 16
const EMPTY = new Uint8Array(0)

export const EMPTY_TRIE_ROOT = hashFromBytes(keccak256(encodeRlp(EMPTY)))

/** The root of the trie with these values at the keys 0, 1, 2 and so on. */
export function orderedTrieRoot(values: readonly Uint8Array[], keccak: Keccak = keccak256): Hash {
  return trieRoot(
    values.map((value, index): TrieEntry => [encodeRlp(rlpScalar(index)), value]),
    keccak,
  )
}

/** Takes entries in any order, without repeated keys and empty values, which would mean absence. */
export function trieRoot(entries: readonly TrieEntry[], keccak: Keccak = keccak256): Hash {
  if (entries.length === 0) return EMPTY_TRIE_ROOT
  const sorted = entries.toSorted(([a], [b]) => compareBytes(a, b))
  for (const [index, [key, value]] of sorted.entries()) {
    assert(value.length > 0, 'A trie has no empty values.')
    const next = sorted[index + 1]
    assert(next === undefined || !equalBytes(key, next[0]), 'A trie has each key once.')
  }
  return hashFromBytes(keccak(encodeRlp(new TrieBuilder(sorted, keccak).node(0, sorted.length, 0))))
}

class TrieBuilder {
  readonly #entries: readonly TrieEntry[]
  readonly #keccak: Keccak

  constructor(entries: readonly TrieEntry[], keccak: Keccak) {
    this.#entries = entries
    this.#keccak = keccak
  }

  /** The node above the entries from `first` to `end`, which share their first `depth` nibbles. */
  node(first: number, end: number, depth: number): RlpItem {
    const [key, value] = this.#entries[first]!
    if (end - first === 1) return [hexPrefix(key, depth, key.length * 2, true), value]
    // The entries are sorted, so all share the common prefix of the first and the last.
    const common = commonNibbles(key, this.#entries[end - 1]![0], depth)
    if (common > depth) {
      return [hexPrefix(key, depth, common, false), this.#reference(this.#branch(first, end, common))]
    }
    return this.#branch(first, end, depth)
  }

  #branch(first: number, end: number, depth: number): RlpItem {
    const items: RlpItem[] = new Array(BRANCHES + 1).fill(EMPTY)
    let from = first
    const [key, value] = this.#entries[first]!
    // A key that ends here is a prefix of the others and therefore the first.
    if (key.length * 2 === depth) {
      items[BRANCHES] = value
      from++
    }
    while (from < end) {
      const nibble = nibbleAt(this.#entries[from]![0], depth)
      let to = from + 1
      while (to < end && nibbleAt(this.#entries[to]![0], depth) === nibble) to++
      items[nibble] = this.#reference(this.node(from, to, depth + 1))
      from = to
    }
    return items
  }

  /** A parent refers to a node by its hash, or contains the node itself if that is shorter. */
  #reference(node: RlpItem): RlpItem {
    const encoded = encodeRlpShared(node)
    return encoded.length < HASH_BYTES ? node : this.#keccak(encoded)
  }
}

function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1]!
  return index % 2 === 0 ? byte >> 4 : byte & 0x0f
}

/** Number of nibbles, at least `from`, that both keys share. */
function commonNibbles(a: Uint8Array, b: Uint8Array, from: number): number {
  const end = Math.min(a.length, b.length) * 2
  let index = from
  while (index < end && nibbleAt(a, index) === nibbleAt(b, index)) index++
  return index
}

/** Packs nibbles into bytes; the first nibble holds the kind and the parity. */
export function hexPrefix(key: Uint8Array, from: number, to: number, isLeaf: boolean): Uint8Array {
  const isOdd = (to - from) % 2 === 1
  const bytes = new Uint8Array(((to - from) >> 1) + 1)
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  bytes[0] = (flag << 4) | (isOdd ? nibbleAt(key, from) : 0)
  let at = 1
  for (let index = isOdd ? from + 1 : from; index < to; index += 2) {
    bytes[at++] = (nibbleAt(key, index) << 4) | nibbleAt(key, index + 1)
  }
  return bytes
}
