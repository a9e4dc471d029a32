/**
 * Builds a trie from entries in key order. Memory holds only the branches on the path to the last key: a node is
 * emitted once no further entry can hang below it. The open branches can be saved and restored, so a killed import
 * resumes.
 */

import type { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import { EMPTY_ROOT } from '#store/state/account-record.ts'
import { assert } from '#types/assert.ts'
import { compareBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { EMPTY_BRANCH_RLP, replaceRefs } from './branch-refs.ts'
import {
  BRANCH_WIDTH,
  type BranchNode,
  KEY_BYTES,
  KEY_NIBBLES,
  MAX_INLINE_BYTES,
  nibbleAt,
  type TrieNode,
} from './node.ts'
import { createExtension, createLeaf } from './node-codec.ts'
import { refOf } from './update.ts'

/** Receives a node and its position, the first `length` nibbles of `path`; both are valid during the call only. */
export type NodeSink = (path: Uint8Array, length: number, node: TrieNode) => void

interface OpenBranch {
  readonly depth: number
  readonly refs: (Uint8Array | undefined)[]
  leaves: number
}

export class SortedTrie {
  readonly #keccak: Keccak
  readonly #sink: NodeSink
  /** From the root down, in increasing depth. */
  #open: OpenBranch[] = []
  /** The last entry; the position of its leaf depends on the next one. */
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

  /** Keeps both arguments. */
  add(key: Uint8Array, value: Uint8Array): void {
    assert(this.isNext(key), 'Entries come in the order of their keys, each once.')
    if (this.#last !== undefined) this.#close(sharedNibbles(this.#last.key, key))
    this.#last = { key, value }
    for (let index = 0; index < KEY_NIBBLES; index++) this.#path[index] = nibbleAt(key, index)
  }

  /** Returns the root and empties the trie. */
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

  /** Restores the output of `save` into an empty trie. */
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
   * Emits the last leaf and every branch below `shared` nibbles, the common prefix with the next key. With -1 nothing
   * follows, and the top node is returned.
   */
  #close(shared: number): TrieNode | undefined {
    const { key, value } = this.#last!
    let top = this.#branchFor(shared)
    const leaf = createLeaf(key, value, top.depth + 1)
    this.#hang(top, leaf)
    while (top.depth > shared) {
      this.#open.pop()
      const { rlp } = replaceRefs(EMPTY_BRANCH_RLP, top.refs)
      const branch: BranchNode = { kind: 'branch', rlp, leaves: top.leaves, children: [], isStored: false }
      const above = shared < 0 && this.#open.length === 0 ? undefined : this.#branchFor(shared)
      const start = above === undefined ? 0 : above.depth + 1
      const node = this.#reach(branch, start, top.depth)
      if (above === undefined) return node
      this.#hang(above, node)
      top = above
    }
    return undefined
  }

  /** The deepest open branch, or a new one at the point where the next key diverges. */
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

  /** The branch at `depth` as seen from `start`: below an extension if nibbles lie between. */
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

  /** Short nodes are inlined in their parents and not emitted. */
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
