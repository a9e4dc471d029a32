/** Trie nodes on disk by path, with their past if the format keeps it. */

import { ACCOUNT_TRIE, nodeKey, replacedNodeKey, STORAGE_TRIE_BYTES } from './kv/keys.ts'
import type { KvBatch, KvReader } from './kv/kv.ts'
import type { Anchors } from './state/anchors.ts'
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
/** Nodes in memory, about 500 bytes each. Beyond it, nodes unchanged for a round are evicted. */
const RESIDENT_NODES_MAX = 100_000

export class NodeStore {
  readonly kv: KvReader
  /** Where all nodes keep their past (FOREST). If undefined, only roots do. */
  readonly anchors: Anchors | undefined
  readonly #head = new Uint8Array(MAX_HEAD_BYTES + NODE_MAX_BYTES)
  readonly #entry = new Uint8Array(MAX_ENTRY_HEAD_BYTES + NODE_MAX_BYTES)
  /** Version of the batch under construction; grows with each. */
  version = 0
  /** Parents and child positions, in parallel arrays because a batch has many. */
  #parents: (BranchNode | ExtensionNode)[] = []
  #nibbles: number[] = []

  constructor(kv: KvReader, anchors: Anchors | undefined) {
    this.kv = kv
    this.anchors = anchors
  }

  /** Nodes in memory below the tops of tries. */
  residentNodes = 0

  get isFull(): boolean {
    return this.residentNodes > RESIDENT_NODES_MAX
  }

  /**
   * Evicts a child once the current batch is durable: until then, blocks executed meanwhile would find no node on
   * disk, or an older one. `nibble` is ignored for an extension.
   */
  forgetLater(parent: BranchNode | ExtensionNode, nibble: number): void {
    this.#parents.push(parent)
    this.#nibbles.push(nibble)
  }

  /** Call this when the batch is durable. */
  settle(): void {
    for (const [index, parent] of this.#parents.entries()) {
      if (parent.kind === 'extension') parent.child = undefined
      else parent.children[this.#nibbles[index]!] = undefined
    }
    this.#parents = []
    this.#nibbles = []
  }

  /** A null node is deleted. */
  write(batch: KvBatch, key: Buffer, node: TrieNode | null, keepPast: boolean): void {
    const { anchors } = this
    const isAccountRoot = key.length === ACCOUNT_TRIE.length
    const isRoot = isAccountRoot || key.length === STORAGE_TRIE_BYTES
    const stored = anchors !== undefined || isRoot ? this.kv.get(key) : undefined
    const head = stored === undefined ? undefined : decodeChangeHead(stored)
    const hasPast = head !== undefined && head.count > 0
    if (anchors === undefined && !keepPast && !hasPast) {
      if (node === null) batch.delete(key)
      else batch.put(key, this.#withHead(this.version, 0, [], node))
      return
    }
    // It was never stored.
    if (node === null && stored === undefined) return
    if (
      anchors !== undefined &&
      !keepPast &&
      !isAccountRoot &&
      hasPast &&
      head.lastChange > anchors.version
    ) {
      batch.put(key, this.#withHead(head.lastChange, head.count, head.roots, node))
      return
    }
    const pushed = pushChange(head, this.version, 0)
    const entryHead = writeEntryHead(this.#entry, 0, this.version, pushed)
    const before = stored === undefined || head === undefined ? NOTHING : stored.subarray(head.length)
    this.#entry.set(before, entryHead)
    batch.put(replacedNodeKey(key, this.version), this.#entry.subarray(0, entryHead + before.length))
    batch.put(key, this.#withHead(this.version, pushed.count, pushed.roots, node))
  }

  #withHead(lastChange: number, count: number, roots: readonly number[], node: TrieNode | null): Uint8Array {
    const at = writeChangeHead(this.#head, 0, lastChange, count, roots)
    return this.#head.subarray(0, node === null ? at : writeStoredNode(this.#head, at, node))
  }
}

/** Reads the current nodes from disk. */
export function nodeReaderOf(kv: KvReader, trie: Buffer): NodeReader {
  return (path, length) => {
    const stored = kv.get(nodeKey(trie, path, length))
    if (stored === undefined) return undefined
    const rlp = changePayload(stored)
    return rlp.length === 0 ? undefined : rlp
  }
}

/** Returns a node at a version, or undefined if it was absent or is no longer known. */
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
