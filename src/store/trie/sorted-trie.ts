/**
 * A trie out of entries that come in the order of their keys. Only the branches on the way to the last key are in memory: a
 * node is given away as soon as no further entry can hang below it. What is open can be saved and taken up again, so
 * that an import that was killed goes on where it was.
 */

import type { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import { EMPTY_ROOT } from '#store/state/account-record.ts'
import { assert } from '#types/assert.ts'
import { compareBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { EMPTY_BRANCH_RLP, replaceRefs } from './branch-refs.ts'
import {
  BRANCH_WIDTH,
  BranchNode,
  KEY_BYTES,
  KEY_NIBBLES,
  MAX_INLINE_BYTES,
  nibbleAt,
  type TrieNode,
} from './node.ts'
import { createExtension, createLeaf } from './node-codec.ts'
import { refOf } from './update.ts'

/** The first `length` nibbles of `path` are where the node hangs; both are valid during the call only. */
export type NodeSink = (path: Uint8Array, length: number, node: TrieNode) => void

interface OpenBranch {
  readonly depth: number
  readonly refs: (Uint8Array | undefined)[]
  leaves: number
}

export class SortedTrie {
  readonly #keccak: Keccak
  readonly #sink: NodeSink
  /** From the root down, each deeper than the one before. */
  #open: OpenBranch[] = []
  /** The last entry: where its leaf hangs is known when the next one comes. */
  #last: { readonly key: Uint8Array; readonly value: Uint8Array } | undefined
  readonly #path = new Uint8Array(KEY_NIBBLES)

  constructor(keccak: Keccak, sink: NodeSink) {
    this.#keccak = keccak
    this.#sink = sink
  }

  get isEmpty(): boolean {
    return this.#last === undefined
  }

  /** Whether a key may come next. */
  isNext(key: Uint8Array): boolean {
    return this.#last === undefined || compareBytes(this.#last.key, key) < 0
  }

  /** Both are kept. */
  add(key: Uint8Array, value: Uint8Array): void {
    assert(this.isNext(key), 'Entries come in the order of their keys, each once.')
    if (this.#last !== undefined) this.#close(sharedNibbles(this.#last.key, key))
    this.#last = { key, value }
    for (let index = 0; index < KEY_NIBBLES; index++) this.#path[index] = nibbleAt(key, index)
  }

  /** The root of what was added; the trie is empty again. */
  finish(): Uint8Array {
    const last = this.#last
    if (last === undefined) return EMPTY_ROOT
    const root = this.#open.length === 0 ? createLeaf(last.key, last.value, 0) : this.#close(-1)
    assert(root !== undefined, 'A trie with entries has a root.')
    this.#sink(this.#path, 0, root)
    this.#open = []
    this.#last = undefined
    return this.#keccak(root.rlp)
  }

  save(writer: ValueWriter): void {
    writer.varint(this.#last === undefined ? 0 : 1)
    if (this.#last === undefined) return
    writer.append(this.#last.key)
    writer.varint(this.#last.value.length)
    writer.append(this.#last.value)
    writer.varint(this.#open.length)
    for (const { depth, leaves, refs } of this.#open) {
      writer.varint(depth)
      writer.varint(leaves)
      for (const ref of refs) {
        writer.varint(ref?.length ?? 0)
        if (ref !== undefined) writer.append(ref)
      }
    }
  }

  /** What `save` wrote, into a trie that is empty. */
  load(reader: ValueReader): void {
    assert(this.#last === undefined, 'A trie is taken up before anything is added.')
    if (reader.varint() === 0) return
    const key = reader.take(KEY_BYTES).slice()
    const value = reader.take(reader.varint()).slice()
    const count = reader.varint()
    for (let index = 0; index < count; index++) {
      const depth = reader.varint()
      const leaves = reader.varint()
      const refs: (Uint8Array | undefined)[] = new Array(BRANCH_WIDTH).fill(undefined)
      for (let nibble = 0; nibble < BRANCH_WIDTH; nibble++) {
        const length = reader.varint()
        if (length > 0) refs[nibble] = reader.take(length).slice()
      }
      this.#open.push({ depth, leaves, refs })
    }
    this.#last = { key, value }
    for (let index = 0; index < KEY_NIBBLES; index++) this.#path[index] = nibbleAt(key, index)
  }

  /**
   * Gives away the leaf of the last entry and every branch below `shared` nibbles, the length of what its key has in common with
   * the next. -1: nothing follows, and the node at the top is the result.
   */
  #close(shared: number): TrieNode | undefined {
    const { key, value } = this.#last!
    let top = this.#branchFor(shared)
    const leaf = createLeaf(key, value, top.depth + 1)
    this.#hang(top, leaf)
    while (top.depth > shared) {
      this.#open.pop()
      const { rlp } = replaceRefs(EMPTY_BRANCH_RLP, top.refs)
      const branch = new BranchNode(rlp, top.leaves, [], false)
      const above = shared < 0 && this.#open.length === 0 ? undefined : this.#branchFor(shared)
      const start = above === undefined ? 0 : above.depth + 1
      const node = this.#reach(branch, start, top.depth)
      if (above === undefined) return node
      this.#hang(above, node)
      top = above
    }
    return undefined
  }

  /** The deepest open branch, or a new one where the next key leaves the last. */
  #branchFor(shared: number): OpenBranch {
    const top = this.#open.at(-1)
    if (top !== undefined && top.depth >= shared) return top
    const branch = {
      depth: shared,
      refs: new Array<Uint8Array | undefined>(BRANCH_WIDTH).fill(undefined),
      leaves: 0,
    }
    this.#open.push(branch)
    return branch
  }

  /** The branch at `depth` as it hangs at `start`: below an extension where nibbles lie between. */
  #reach(branch: BranchNode, start: number, depth: number): TrieNode {
    if (start === depth) return branch
    const ref = this.#give(branch, depth)
    return createExtension(this.#path.slice(start, depth), ref, undefined)
  }

  #hang(branch: OpenBranch, node: TrieNode): void {
    const nibble = this.#path[branch.depth]!
    branch.refs[nibble] = this.#give(node, branch.depth + 1)
    if (node.kind === 'leaf') branch.leaves |= 1 << nibble
  }

  /** Nodes that are short stand within their parents and nowhere else. */
  #give(node: TrieNode, depth: number): Uint8Array {
    if (node.rlp.length > MAX_INLINE_BYTES) this.#sink(this.#path, depth, node)
    return refOf(node, this.#keccak)
  }
}

function sharedNibbles(a: Uint8Array, b: Uint8Array): number {
  let shared = 0
  while (shared < KEY_NIBBLES && nibbleAt(a, shared) === nibbleAt(b, shared)) shared++
  return shared
}
