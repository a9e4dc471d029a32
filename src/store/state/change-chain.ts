/**
 * The history of a value. Every changing value (an account, a slot, a trie node) begins with a head: the time of its
 * last change, the number of changes, and the roots of a skew-binary list of its changes (Myers, "An applicative
 * random-access stack"). Every change left an entry: the value before it, the previous change, and jumps further
 * back. With the roots, a new entry is written without reading an older one, and the value at any time takes O(log
 * changes) reads of single keys, which the engine can do synchronously.
 *
 * Time is a block number for state and a version number for trie nodes. Entries at or before `lowest` are or may be
 * pruned, and no new entry refers to them.
 */
import { corruptFault } from '#store/faults.ts'
import { ValueReader, writeVarint } from '#store/kv/varint.ts'

export interface ChangeHead {
  readonly lastChange: number
  /** Changes with an entry, including pruned ones; 0 if the value has no readable past. */
  readonly count: number
  /**
   * Times of the roots of the list's trees, newest first: lastChange, then those that are not pruned. If the oldest
   * tree has several changes, the first change of all follows, because most values asked for in the far past began
   * after it.
   */
  readonly roots: readonly number[]
  /** Offset of the payload. */
  readonly length: number
}

export interface ChangeEntry {
  /** Undefined if there was no value before. */
  readonly previous: number | undefined
  /** The root of the second half of its tree; `previous` is the root of the first. */
  readonly middle: number | undefined
  /** The root of the next older tree; after the oldest tree, the first change. */
  readonly jump: number | undefined
  /** A view. */
  readonly payload: Uint8Array
}

export interface PushedChange extends Omit<ChangeEntry, 'payload'> {
  readonly count: number
  readonly roots: readonly number[]
}

/** Roots of a list of 2^53 changes, and the first one; each takes at most 8 bytes. */
const MAX_ROOTS = 55
export const MAX_HEAD_BYTES = 8 * (2 + MAX_ROOTS)
export const MAX_ENTRY_HEAD_BYTES = 24
const FIRST_ROOTS: readonly number[] = []

export function decodeChangeHead(stored: Uint8Array): ChangeHead {
  const reader = new ValueReader(stored)
  const lastChange = reader.varint()
  const count = reader.varint()
  if (count === 0) return { lastChange, count, roots: FIRST_ROOTS, length: reader.at }
  const older = reader.varint()
  if (older >= MAX_ROOTS) throw corruptFault('a value has too many roots of changes')
  const roots = [lastChange]
  for (let index = 0; index < older; index++) {
    const root = roots[index]! - reader.varint()
    if (root < 0 || root >= roots[index]!) throw corruptFault('the changes of a value are out of order')
    roots.push(root)
  }
  return { lastChange, count, roots, length: reader.at }
}

/** Skips the head and returns a view of the payload. */
export function changePayload(stored: Uint8Array): Uint8Array {
  let at = skipVarint(stored, 0)
  const hasPast = stored[at] !== 0
  at = skipVarint(stored, at)
  if (!hasPast) return stored.subarray(at)
  const older = stored[at] ?? MAX_ROOTS
  if (older >= MAX_ROOTS) throw corruptFault('a value has too many roots of changes')
  at++
  for (let index = 0; index < older; index++) at = skipVarint(stored, at)
  return stored.subarray(at)
}

function skipVarint(bytes: Uint8Array, at: number): number {
  let last = at
  while (bytes[last]! >= 0x80) last++
  if (last >= bytes.length) throw corruptFault('a value is cut off')
  return last + 1
}

/** Writes at `at` and returns the end. */
export function writeChangeHead(
  bytes: Uint8Array,
  at: number,
  lastChange: number,
  count: number,
  roots: readonly number[],
): number {
  let end = writeVarint(bytes, at, lastChange)
  end = writeVarint(bytes, end, count)
  if (count === 0) return end
  end = writeVarint(bytes, end, Math.max(roots.length - 1, 0))
  for (let index = 1; index < roots.length; index++) {
    end = writeVarint(bytes, end, roots[index - 1]! - roots[index]!)
  }
  return end
}

/** Adds a change at `time` to a value with this head, undefined for a new value. */
export function pushChange(head: ChangeHead | undefined, time: number, lowest: number): PushedChange {
  const kept = head === undefined ? [] : head.roots.filter((root) => root > lowest)
  const previous = head?.lastChange
  // A list without readable entries starts again; otherwise its count determines its shape.
  if (head === undefined || kept.length === 0) {
    return { count: 1, roots: [time], previous, middle: undefined, jump: undefined }
  }
  const count = head.count + 1
  if (!endsInEqualTrees(head.count)) {
    return { count, roots: [time, ...kept], previous, middle: undefined, jump: kept[0] }
  }
  // The first tree of three ends in the first change, which then becomes the last root.
  const older = head.count === 2 ? kept.slice(1) : kept.slice(2)
  return { count, roots: [time, ...older], previous, middle: kept[1], jump: kept[2] }
}

/** Whether the two newest trees of a list of `count` have the same size, so the next change joins them. */
export function endsInEqualTrees(count: number): boolean {
  let rest = count
  let last = 0
  while (rest > 0) {
    const size = largestTree(rest)
    if (size === rest) return size === last
    last = size
    rest -= size
  }
  return false
}

/** Number of trees in a list of `count`. */
export function treesOf(count: number): number {
  let trees = 0
  for (let rest = count; rest > 0; rest -= largestTree(rest)) trees++
  return trees
}

/** The largest 2^k - 1 up to `limit`. */
function largestTree(limit: number): number {
  let size = 1
  while (size * 2 + 1 <= limit) size = size * 2 + 1
  return size
}

/** Writes the head of an entry and returns its end. */
export function writeEntryHead(
  bytes: Uint8Array,
  at: number,
  time: number,
  { previous, middle, jump }: Omit<ChangeEntry, 'payload'>,
): number {
  let end = at
  for (const change of [previous, middle, jump]) {
    end = writeVarint(bytes, end, change === undefined ? 0 : time - change)
  }
  return end
}

export function decodeChangeEntry(stored: Uint8Array, time: number): ChangeEntry {
  const reader = new ValueReader(stored)
  const change = (): number | undefined => {
    const distance = reader.varint()
    if (distance > time) throw corruptFault('a change lies before block 0')
    return distance === 0 ? undefined : time - distance
  }
  return { previous: change(), middle: change(), jump: change(), payload: reader.rest() }
}

/**
 * Returns the payload at `time`, or undefined if the required entry is gone. `readEntry` returns the entry of the
 * change at a time.
 */
export function payloadAt(
  stored: Uint8Array,
  time: number,
  readEntry: (time: number) => Uint8Array | undefined,
): Uint8Array | undefined {
  const head = decodeChangeHead(stored)
  if (head.lastChange <= time) return stored.subarray(head.length)
  // The oldest root after `time`: its tree contains the change that ended the wanted value.
  let change = head.lastChange
  for (const root of head.roots) if (root > time) change = root
  for (;;) {
    const bytes = readEntry(change)
    if (bytes === undefined) return undefined
    const { previous, middle, jump, payload } = decodeChangeEntry(bytes, change)
    if (previous === undefined || previous <= time) return payload
    // Jumps back as far as possible without passing the wanted change.
    if (jump !== undefined && jump > time) change = jump
    else change = middle !== undefined && middle > time ? middle : previous
  }
}
