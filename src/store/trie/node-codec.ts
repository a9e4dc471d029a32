/** Encodes and decodes trie nodes. */
import { corruptFault } from '#store/faults.ts'
import { assert } from '#types/assert.ts'
import {
  allocateNode,
  listHeaderLength,
  payloadStart,
  refLength,
  writeHeader,
  writeListHeader,
} from './branch-refs.ts'
import {
  BRANCH_WIDTH,
  type BranchNode,
  type ExtensionNode,
  KEY_BYTES,
  KEY_NIBBLES,
  type LeafNode,
  nibbleAt,
  type TrieNode,
} from './node.ts'

const EMPTY_REF = 0x80
const LIST = 0xc0
const LONG_LIST = 0xf8
const LEAF_FLAG = 0x20
const ODD_FLAG = 0x10
/** Bytes after the RLP of a stored branch. */
const LEAVES_BYTES = 2

export function createLeaf(key: Uint8Array, value: Uint8Array, depth: number): LeafNode {
  const path = encodeKeyEnd(key, depth)
  return { kind: 'leaf', key, value, rlp: encodePair(path, value, true), isStored: false }
}

export function createExtension(
  path: Uint8Array,
  ref: Uint8Array,
  child: TrieNode | undefined,
): ExtensionNode {
  assert(path.length > 0, 'An extension has a path.')
  const encoded = encodePath(path)
  return { kind: 'extension', path, ref, rlp: encodePair(encoded, ref, false), child, isStored: false }
}

/** Writes a stored node: its RLP and, for a branch, a bit mask of children that are leaves. */
export function writeStoredNode(bytes: Uint8Array, at: number, node: TrieNode): number {
  bytes.set(node.rlp, at)
  const end = at + node.rlp.length
  if (node.kind !== 'branch') return end
  bytes[end] = node.leaves >> 8
  bytes[end + 1] = node.leaves & 0xff
  return end + LEAVES_BYTES
}

/** `path` and `depth` give the position of the node, which completes the key of a leaf. */
export function decodeStoredNode(stored: Uint8Array, path: Uint8Array, depth: number): TrieNode {
  const length = encodedLength(stored)
  if (length === stored.length) return decodeNode(stored, path, depth)
  if (length !== stored.length - LEAVES_BYTES) throw corruptFault('a node of the trie has a wrong length')
  return decodeBranch(stored.subarray(0, length), stored[length]! * 256 + stored[length + 1]!)
}

/** Decodes an inline node, or a stored one without a leaf mask. */
export function decodeNode(rlp: Uint8Array, path: Uint8Array, depth: number): TrieNode {
  const start = payloadStart(rlp)
  const pathEnd = itemEnd(rlp, start)
  const secondEnd = itemEnd(rlp, pathEnd)
  if (secondEnd < rlp.length) return decodeBranch(rlp, 0)
  const encoded = stringContent(rlp, start, pathEnd)
  const flags = encoded[0] ?? 0
  const isOdd = (flags & ODD_FLAG) !== 0
  const nibbles = encoded.length * 2 - (isOdd ? 1 : 2)
  const nibble = (index: number): number => nibbleAt(encoded, index + (isOdd ? 1 : 2))
  if (nibbles < 0 || depth + nibbles > KEY_NIBBLES) throw corruptFault('a path in the trie is too long')
  if (flags & LEAF_FLAG) {
    if (depth + nibbles !== KEY_NIBBLES) throw corruptFault('a leaf of the trie ends early')
    const key = new Uint8Array(KEY_BYTES)
    for (let index = 0; index < depth; index++) setNibble(key, index, path[index]!)
    for (let index = 0; index < nibbles; index++) setNibble(key, depth + index, nibble(index))
    return { kind: 'leaf', key, value: stringContent(rlp, pathEnd, secondEnd), rlp, isStored: true }
  }
  const own = Uint8Array.from({ length: nibbles }, (_, index) => nibble(index))
  if (nibbles === 0) throw corruptFault('an extension of the trie has no path')
  const ref = rlp.subarray(pathEnd, secondEnd)
  return { kind: 'extension', path: own, ref, rlp, child: undefined, isStored: true }
}

function decodeBranch(rlp: Uint8Array, leaves: number): BranchNode {
  let at = payloadStart(rlp)
  for (let index = 0; index < BRANCH_WIDTH; index++) at += refLength(rlp, at)
  if (rlp[at] !== EMPTY_REF || at !== rlp.length - 1) throw corruptFault('a branch of the trie')
  return { kind: 'branch', rlp, leaves, children: new Array(BRANCH_WIDTH), isStored: true }
}

function encodedLength(stored: Uint8Array): number {
  const first = stored[0] ?? 0
  if (first < LONG_LIST) return 1 + first - LIST
  if (first === LONG_LIST) return 2 + (stored[1] ?? 0)
  return 3 + (stored[1] ?? 0) * 256 + (stored[2] ?? 0)
}

/** The end of a string or a short list, the only items of a node. */
function itemEnd(rlp: Uint8Array, at: number): number {
  const first = rlp[at]
  if (first === undefined) throw corruptFault('a node of the trie is cut off')
  let end: number
  if (first < 0x80) end = at + 1
  else if (first < 0xb8) end = at + 1 + first - 0x80
  else if (first === 0xb8) end = at + 2 + (rlp[at + 1] ?? 0)
  else if (first === 0xb9) end = at + 3 + (rlp[at + 1] ?? 0) * 256 + (rlp[at + 2] ?? 0)
  else if (first >= LIST && first < LONG_LIST) end = at + 1 + first - LIST
  else throw corruptFault('a node of the trie')
  if (end > rlp.length) throw corruptFault('a node of the trie is cut off')
  return end
}

function stringContent(rlp: Uint8Array, at: number, end: number): Uint8Array {
  const first = rlp[at]!
  if (first >= LIST) throw corruptFault('a node of the trie')
  const skip = first < 0x80 ? 0 : first < 0xb8 ? 1 : first - 0xb6
  return rlp.subarray(at + skip, end)
}

function setNibble(key: Uint8Array, index: number, nibble: number): void {
  key[index >> 1]! |= index & 1 ? nibble : nibble << 4
}

/** Hex-prefix encoding: flags and, if the number is odd, the first nibble; then two nibbles per byte. */
function encodePath(nibbles: Uint8Array): Uint8Array {
  const isOdd = nibbles.length & 1
  const path = new Uint8Array(1 + (nibbles.length >> 1))
  path[0] = isOdd ? ODD_FLAG | nibbles[0]! : 0
  for (let index = isOdd, at = 1; index < nibbles.length; index += 2, at++) {
    path[at] = (nibbles[index]! << 4) | nibbles[index + 1]!
  }
  return path
}

/** The hex-prefix encoding of a key from `depth` on, for a leaf. */
function encodeKeyEnd(key: Uint8Array, depth: number): Uint8Array {
  const start = (depth + 1) >> 1
  const path = new Uint8Array(1 + KEY_BYTES - start)
  path[0] = depth & 1 ? LEAF_FLAG | ODD_FLAG | (key[depth >> 1]! & 0xf) : LEAF_FLAG
  for (let index = start; index < KEY_BYTES; index++) path[1 + index - start] = key[index]!
  return path
}

/** A list of a path and either a value, as a string, or an encoded reference. */
function encodePair(path: Uint8Array, second: Uint8Array, isValue: boolean): Uint8Array {
  const secondLength = isValue ? stringLength(second) : second.length
  const length = stringLength(path) + secondLength
  const out = allocateNode(listHeaderLength(length) + length)
  const at = writeString(out, writeListHeader(out, length), path)
  if (isValue) writeString(out, at, second)
  else out.set(second, at)
  return out
}

function stringLength(bytes: Uint8Array): number {
  if (bytes.length === 1 && bytes[0]! < 0x80) return 1
  return (bytes.length <= 55 ? 1 : bytes.length <= 255 ? 2 : 3) + bytes.length
}

function writeString(out: Uint8Array, at: number, bytes: Uint8Array): number {
  let end = at
  if (bytes.length !== 1 || bytes[0]! >= 0x80) end = writeHeader(out, at, 0x80, bytes.length)
  out.set(bytes, end)
  return end + bytes.length
}
