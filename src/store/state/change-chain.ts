/**
 * How a value finds its past. Every changing value (an account, a slot, a trie node) begins with a head: when it
 * changed last, how often it changed, and the roots of a skew-binary list of its changes (Myers, "An applicative
 * random-access stack"). Every change left an entry behind: the value before it, the change before it, and jumps
 * further back. With the roots at hand a new entry is written without reading an older one, and the value at any
 * time is found in O(log changes) reads of single keys, which the engine can do synchronously.
 *
 * Time is a block number for state and a version number for trie nodes. Entries at or before `lowest` are pruned
 * or may be: nothing points to them on purpose.
 */
import { corruptFault } from '#store/faults.ts'
import { ValueReader, writeVarint } from '#store/kv/varint.ts'

export interface ChangeHead {
  readonly lastChange: number
  /** Changes with an entry, pruned ones included; 0: the value has no past that can be read. */
  readonly count: number
  /**
   * When the trees of the list have their roots, newest first: lastChange, then as many as are not pruned. If the oldest
   * tree has several changes, the first of all follows: most values that are asked for in the far past began after it.
   */
  readonly roots: readonly number[]
  /** Where the payload begins. */
  readonly length: number
}

export interface ChangeEntry {
  /** undefined: there was no value before. */
  readonly previous: number | undefined
  /** The root of the second half of its tree: `previous` is that of the first. */
  readonly middle: number | undefined
  /** The root of the tree behind its own; behind the oldest tree, the first change. */
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

/** What stands behind the head, which is stepped over: a view. */
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

/** Writes at `at` and returns where it ends. */
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

/** The change at `time` of a value with this head (undefined: of no value). */
export function pushChange(head: ChangeHead | undefined, time: number, lowest: number): PushedChange {
  const kept = head === undefined ? [] : head.roots.filter((root) => root > lowest)
  const previous = head?.lastChange
  // A list of which nothing can be read any more begins anew; otherwise its shape goes on, for shape is count.
  if (head === undefined || kept.length === 0) {
    return { count: 1, roots: [time], previous, middle: undefined, jump: undefined }
  }
  const count = head.count + 1
  if (!endsInEqualTrees(head.count)) {
    return { count, roots: [time, ...kept], previous, middle: undefined, jump: kept[0] }
  }
  // The first tree of three ends in the first change of all, which from then on is the last in the list.
  const older = head.count === 2 ? kept.slice(1) : kept.slice(2)
  return { count, roots: [time, ...older], previous, middle: kept[1], jump: kept[2] }
}

/** Whether the two newest trees of a list of `count` are of one size, so that the next change joins them. */
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

/** How many trees a list of `count` has. */
export function treesOf(count: number): number {
  let trees = 0
  for (let rest = count; rest > 0; rest -= largestTree(rest)) trees++
  return trees
}

/** The largest 2^k - 1 that is not above `limit`. */
function largestTree(limit: number): number {
  let size = 1
  while (size * 2 + 1 <= limit) size = size * 2 + 1
  return size
}

/** Writes what stands before the payload of an entry, and returns where it ends. */
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
 * The payload as it was at `time`; undefined when the entry it needs is gone. `readEntry` gives the entry that
 * the change at a time left behind.
 */
export function payloadAt(
  stored: Uint8Array,
  time: number,
  readEntry: (time: number) => Uint8Array | undefined,
): Uint8Array | undefined {
  const head = decodeChangeHead(stored)
  if (head.lastChange <= time) return stored.subarray(head.length)
  // The oldest root after `time`: the change that ended the value we look for is in its tree.
  let change = head.lastChange
  for (const root of head.roots) if (root > time) change = root
  for (;;) {
    const bytes = readEntry(change)
    if (bytes === undefined) return undefined
    const { previous, middle, jump, payload } = decodeChangeEntry(bytes, change)
    if (previous === undefined || previous <= time) return payload
    // As far back as may be without passing the change that is looked for.
    if (jump !== undefined && jump > time) change = jump
    else change = middle !== undefined && middle > time ? middle : previous
  }
}
