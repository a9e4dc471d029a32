/** The encoded bytes of a branch: 16 references to children, and how to replace them. */
import { corruptFault } from '#store/faults.ts'
import { assert } from '#types/assert.ts'
import { BRANCH_WIDTH, type BranchNode, MAX_INLINE_BYTES } from './node.ts'

const EMPTY_REF = 0x80
const HASH_REF = 0xa0
const HASH_REF_BYTES = 33
const LIST = 0xc0
const LONG_LIST = 0xf8

/**
 * Returns a view of a branch's encoded reference to a child, which is a hash or the child itself; undefined if there
 * is none.
 */
export function childRef(branch: BranchNode, nibble: number): Uint8Array | undefined {
  const { rlp } = branch
  let at = payloadStart(rlp)
  for (let index = 0; index < nibble; index++) at += refLength(rlp, at)
  return rlp[at] === EMPTY_REF ? undefined : rlp.subarray(at, at + refLength(rlp, at))
}

export function isHashRef(ref: Uint8Array): boolean {
  return ref.length === HASH_REF_BYTES
}

/** Copies the branch with other references: undefined keeps one, null removes it. */
export function replaceRefs(
  rlp: Uint8Array,
  refs: readonly (Uint8Array | null | undefined)[],
): { rlp: Uint8Array; count: number } {
  return overwriteRefs(rlp, refs) ?? rebuildRefs(rlp, refs)
}

/** The common case, with references as long as those they replace: one memory copy. */
function overwriteRefs(
  rlp: Uint8Array,
  refs: readonly (Uint8Array | null | undefined)[],
): { rlp: Uint8Array; count: number } | undefined {
  let out: Uint8Array | undefined
  let count = 0
  for (let index = 0, at = payloadStart(rlp); index < BRANCH_WIDTH; index++) {
    const old = refLength(rlp, at)
    const ref = refs[index]
    if (old > 1) count++
    if (ref !== undefined) {
      if (ref === null || ref.length !== old) return undefined
      if (out === undefined) {
        out = allocateNode(rlp.length)
        out.set(rlp)
      }
      out.set(ref, at)
    }
    at += old
  }
  return { rlp: out ?? rlp, count }
}

function rebuildRefs(
  rlp: Uint8Array,
  refs: readonly (Uint8Array | null | undefined)[],
): { rlp: Uint8Array; count: number } {
  let at = payloadStart(rlp)
  let length = 1
  let count = 0
  for (let index = 0; index < BRANCH_WIDTH; index++) {
    const old = refLength(rlp, at)
    const ref = refs[index]
    const size = ref === undefined ? old : ref === null ? 1 : ref.length
    if (size > 1) count++
    length += size
    at += old
  }
  const out = allocateNode(listHeaderLength(length) + length)
  let end = writeListHeader(out, length)
  at = payloadStart(rlp)
  for (let index = 0; index < BRANCH_WIDTH; index++) {
    const old = refLength(rlp, at)
    const ref = refs[index]
    if (ref === undefined) {
      for (let offset = 0; offset < old; offset++) out[end++] = rlp[at + offset]!
    } else if (ref === null) {
      out[end++] = EMPTY_REF
    } else {
      out.set(ref, end)
      end += ref.length
    }
    at += old
  }
  out[end] = EMPTY_REF
  return { rlp: out, count }
}

/**
 * Uses Buffer's pool: an array buffer per node would take more time, also in the collector, than all other work on
 * it. A long-lived node may hold 8 KB, which its long-lived neighbours share.
 */
export function allocateNode(length: number): Uint8Array {
  return Buffer.allocUnsafe(length)
}

/** A branch without children, as a template. */
export const EMPTY_BRANCH_RLP: Uint8Array = Uint8Array.of(LIST + 17, ...new Array(17).fill(EMPTY_REF))

export function refLength(rlp: Uint8Array, at: number): number {
  const first = rlp[at]
  if (first === EMPTY_REF) return 1
  if (first === HASH_REF) return HASH_REF_BYTES
  if (first === undefined || first <= LIST || first > LIST + MAX_INLINE_BYTES) {
    throw corruptFault('a reference in the trie')
  }
  return 1 + first - LIST
}

export function payloadStart(rlp: Uint8Array): number {
  const first = rlp[0] ?? 0
  if (first < LIST) throw corruptFault('a node of the trie')
  return first < LONG_LIST ? 1 : first - LONG_LIST + 2
}

export function listHeaderLength(length: number): number {
  return length <= 55 ? 1 : length <= 255 ? 2 : 3
}

export function writeListHeader(out: Uint8Array, length: number): number {
  return writeHeader(out, 0, LIST, length)
}

export function writeHeader(out: Uint8Array, at: number, kind: number, length: number): number {
  let end = at
  if (length <= 55) {
    out[end++] = kind + length
  } else if (length <= 255) {
    out[end++] = kind + 56
    out[end++] = length
  } else {
    assert(length < 2 ** 16, 'A node of the trie has less than 64 KiB.')
    out[end++] = kind + 57
    out[end++] = length >> 8
    out[end++] = length & 0xff
  }
  return end
}
