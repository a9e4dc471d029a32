/** Trie nodes on disk: by their path, with the past where the format keeps it. */

import { ACCOUNT_TRIE, nodeKey, replacedNodeKey, STORAGE_TRIE_BYTES } from './kv/keys.ts'
import type { KvBatch, KvReader } from './kv/kv.ts'
import {
  changePayload,
  decodeChangeHead,
  MAX_ENTRY_HEAD_BYTES,
  MAX_HEAD_BYTES,
  payloadAt,
  pushChange,
  writeChangeHead,
  writeEntryHead,
} from './state/change-chain.ts'
import type { BranchNode, ExtensionNode, TrieNode } from './trie/node.ts'
import { writeStoredNode } from './trie/node-codec.ts'
import type { NodeReader } from './trie/update.ts'

/** Larger than any node: a branch with 16 hashes has 532 bytes, a leaf less. */
const NODE_MAX_BYTES = 1024
const NOTHING = new Uint8Array(0)
/** About 500 bytes each. Beyond, nodes that did not change for a round are read again when they are needed. */
const RESIDENT_NODES_MAX = 100_000

export class NodeStore {
  readonly kv: KvReader
  /** Whether all nodes keep their past (FOREST), or only roots. */
  readonly #keepsPast: boolean
  readonly #head = new Uint8Array(MAX_HEAD_BYTES + NODE_MAX_BYTES)
  readonly #entry = new Uint8Array(MAX_ENTRY_HEAD_BYTES + NODE_MAX_BYTES)
  /** Of the batch that is being made; grows with each. */
  version = 0
  /** Parents, and which of their children; side by side, as a batch has many. */
  #parents: (BranchNode | ExtensionNode)[] = []
  #nibbles: number[] = []

  constructor(kv: KvReader, keepsPast: boolean) {
    this.kv = kv
    this.#keepsPast = keepsPast
  }

  /** Nodes below the tops of tries that are in memory. */
  residentNodes = 0

  get isFull(): boolean {
    return this.residentNodes > RESIDENT_NODES_MAX
  }

  /**
   * The child may leave memory, but not before the batch under way is durable: blocks are executed meanwhile, and
   * would find on disk no node, or an older one. `nibble` is of no meaning to an extension.
   */
  forgetLater(parent: BranchNode | ExtensionNode, nibble: number): void {
    this.#parents.push(parent)
    this.#nibbles.push(nibble)
  }

  /** To be called when the batch is durable. */
  settle(): void {
    for (const [index, parent] of this.#parents.entries()) {
      if (parent.kind === 'extension') parent.child = undefined
      else parent.children[this.#nibbles[index]!] = undefined
    }
    this.#parents = []
    this.#nibbles = []
  }

  /** null: there is no node there any more. */
  write(batch: KvBatch, key: Buffer, node: TrieNode | null, keepPast: boolean): void {
    const isRoot = key.length === ACCOUNT_TRIE.length || key.length === STORAGE_TRIE_BYTES
    const stored = this.#keepsPast || isRoot ? this.kv.get(key) : undefined
    const head = stored === undefined ? undefined : decodeChangeHead(stored)
    const hasPast = head !== undefined && head.count > 0
    if (!this.#keepsPast && !keepPast && !hasPast) {
      if (node === null) batch.delete(key)
      else batch.put(key, this.#withHead(0, [], node))
      return
    }
    // It was never there.
    if (node === null && stored === undefined) return
    const pushed = pushChange(head, this.version, 0)
    const entryHead = writeEntryHead(this.#entry, 0, this.version, pushed)
    const before = stored === undefined || head === undefined ? NOTHING : stored.subarray(head.length)
    this.#entry.set(before, entryHead)
    batch.put(replacedNodeKey(key, this.version), this.#entry.subarray(0, entryHead + before.length))
    batch.put(key, this.#withHead(pushed.count, pushed.roots, node))
  }

  #withHead(count: number, roots: readonly number[], node: TrieNode | null): Uint8Array {
    const at = writeChangeHead(this.#head, 0, this.version, count, roots)
    return this.#head.subarray(0, node === null ? at : writeStoredNode(this.#head, at, node))
  }
}

/** The nodes as they are on disk now. */
export function nodeReaderOf(kv: KvReader, trie: Buffer): NodeReader {
  return (path, length) => {
    const stored = kv.get(nodeKey(trie, path, length))
    if (stored === undefined) return undefined
    const rlp = changePayload(stored)
    return rlp.length === 0 ? undefined : rlp
  }
}

/** A node as it was on disk at a version; undefined: it was not there, or that is not known any more. */
export function nodeAt(
  kv: KvReader,
  trie: Buffer,
  path: Uint8Array,
  length: number,
  version: number,
): Uint8Array | undefined {
  const key = nodeKey(trie, path, length)
  const stored = kv.get(key)
  if (stored === undefined) return undefined
  const rlp = payloadAt(stored, version, (time) => kv.get(replacedNodeKey(key, time)))
  return rlp === undefined || rlp.length === 0 ? undefined : rlp
}
