/** The history of accounts and slots: reading, appending, rewinding. */

import { corruptFault } from '#store/faults.ts'
import { historyKey } from '#store/kv/keys.ts'
import type { KvBatch, KvReader } from '#store/kv/kv.ts'
import {
  decodeChangeEntry,
  decodeChangeHead,
  MAX_ENTRY_HEAD_BYTES,
  MAX_HEAD_BYTES,
  payloadAt,
  pushChange,
  treesOf,
  writeChangeHead,
  writeEntryHead,
} from './change-chain.ts'

/** Larger than any account or slot. */
const PAYLOAD_MAX_BYTES = 128
const flatScratch = new Uint8Array(MAX_HEAD_BYTES + PAYLOAD_MAX_BYTES)
const entryScratch = new Uint8Array(MAX_ENTRY_HEAD_BYTES + PAYLOAD_MAX_BYTES)

/** Returns the payload of a flat value after a block, or undefined if it is pruned. */
export function flatPayloadAt(
  kv: KvReader,
  flatKey: Uint8Array,
  stored: Uint8Array,
  block: number,
): Uint8Array | undefined {
  return payloadAt(stored, block, (time) => kv.get(historyKey(flatKey, time)))
}

/**
 * Writes the new payload of a flat key and moves the previous one to its history. Returns the new flat value. Block 0
 * has no history.
 */
export function writeChange(
  batch: KvBatch,
  flatKey: Uint8Array,
  stored: Uint8Array | undefined,
  payload: Uint8Array,
  block: number,
  lowest: number,
): Uint8Array {
  if (block === 0) return putFlat(batch, flatKey, 0, 0, [], payload)
  const head = stored === undefined ? undefined : decodeChangeHead(stored)
  const pushed = pushChange(head, block, lowest)
  let end = writeEntryHead(entryScratch, 0, block, pushed)
  if (stored !== undefined && head !== undefined) {
    entryScratch.set(stored.subarray(head.length), end)
    end += stored.length - head.length
  }
  batch.put(historyKey(flatKey, block), entryScratch.subarray(0, end))
  return putFlat(batch, flatKey, block, pushed.count, pushed.roots, payload)
}

/** Writes a value of an imported state, whose past is unknown. */
export function writeFirst(batch: KvBatch, flatKey: Uint8Array, payload: Uint8Array, block: number): void {
  putFlat(batch, flatKey, block, 0, [], payload)
}

function putFlat(
  batch: KvBatch,
  flatKey: Uint8Array,
  block: number,
  count: number,
  roots: readonly number[],
  payload: Uint8Array,
): Uint8Array {
  const end = writeChangeHead(flatScratch, 0, block, count, roots)
  flatScratch.set(payload, end)
  const flat = flatScratch.subarray(0, end + payload.length)
  batch.put(flatKey, flat)
  return flat.slice()
}

/**
 * Returns the flat value before its change at `block`, including its head, or undefined if there was none. The change
 * must be the last one of `stored`.
 */
export function flatBeforeChange(
  kv: KvReader,
  flatKey: Uint8Array,
  stored: Uint8Array,
  block: number,
): Uint8Array | undefined {
  const head = decodeChangeHead(stored)
  const bytes = kv.get(historyKey(flatKey, block))
  if (head.lastChange !== block || bytes === undefined) throw corruptFault(`block ${block} has no history`)
  const entry = decodeChangeEntry(bytes, block)
  if (entry.previous === undefined) return undefined
  const count = head.count - 1
  const roots = rootsBefore(kv, flatKey, entry.previous, count)
  const first = head.roots.at(-1)!
  if (roots.length === treesOf(count) && first < roots.at(-1)!) roots.push(first)
  const end = writeChangeHead(flatScratch, 0, entry.previous, count, roots)
  flatScratch.set(entry.payload, end)
  return flatScratch.slice(0, end + entry.payload.length)
}

/** The jump of each tree's root is the root of the next. Pruned ones end the list. */
function rootsBefore(kv: KvReader, flatKey: Uint8Array, newest: number, count: number): number[] {
  const roots: number[] = []
  const trees = treesOf(count)
  let root: number | undefined = newest
  while (root !== undefined && roots.length < trees) {
    roots.push(root)
    const bytes: Uint8Array | undefined = kv.get(historyKey(flatKey, root))
    root = bytes === undefined ? undefined : decodeChangeEntry(bytes, root).jump
  }
  return roots
}
