/** Rewinds to the state after an earlier block in one batch: applies history backwards, newest block first. */

import { assert } from '#types/assert.ts'
import { corruptFault } from './faults.ts'
import { decodeBlob } from './kv/blob.ts'
import {
  accountKey,
  blockKey,
  hashKey,
  historyKey,
  keyText,
  numberKey,
  storageKey,
  TABLE,
} from './kv/keys.ts'
import type { KvBatch } from './kv/kv.ts'
import { META } from './meta.ts'
import type { NodeStore } from './node-store.ts'
import { anchorOf } from './state/anchors.ts'
import { type ApplyContext, applyKeys, KeySet } from './state/apply-keys.ts'
import { changedSlots, decodeChangedKeys, encodeChangedKeys, readChangedKeys } from './state/changed-keys.ts'
import { flatBeforeChange } from './state/history.ts'
import type { VersionBase } from './state/state-version.ts'

type TransactionHashes = (body: Uint8Array, number: number) => readonly Uint8Array[]

interface Restored {
  readonly key: Buffer
  stored: Uint8Array | undefined
}

export function writeUnwind(
  batch: KvBatch,
  base: VersionBase,
  nodes: NodeStore,
  range: { readonly from: number; readonly to: number },
  transactionHashes: TransactionHashes,
): void {
  const unwinding = new Unwinding(batch, base)
  for (let block = range.from; block > range.to; block--) {
    unwinding.unwindState(block)
    forgetBlock(batch, base, block, transactionHashes)
  }
  const { keccak, rotation } = base
  const context: ApplyContext = { kv: base.kv, keccak, rotation, readFlat: (key) => unwinding.read(key) }
  for (const { prefix } of applyKeys(context, unwinding.keys)) {
    // The life began in a removed block. Another block with its number must not find its root.
    rotation.drop(prefix)
    nodes.write(batch, prefix, null, false)
  }
  const mark = rotation.flushAll(batch, range.to)
  META.trie.write(batch, mark)
  rewindAnchor(nodes, base, range.to, mark.version)
  cutBatch(batch, base, range.to, mark.version)
  unwinding.writeFlat()
  const hash = base.kv.get(numberKey(TABLE.canonical, range.to))
  if (hash === undefined) throw corruptFault(`block ${range.to} is not in the chain`)
  const { timestamp } = readChangedKeys(base.kv, range.to)
  const unwinds = (META.head.read(base.kv)?.unwinds ?? 0) + 1
  META.head.write(batch, { number: range.to, hash, timestamp, unwinds })
  for (const name of ['safe', 'finalized'] as const) {
    const mark = META[name].read(base.kv)
    if (mark !== undefined && mark.number > range.to) META[name].remove(batch)
  }
}

class Unwinding {
  readonly keys = new KeySet()
  readonly #batch: KvBatch
  readonly #base: VersionBase
  readonly #restored = new Map<string, Restored>()

  constructor(batch: KvBatch, base: VersionBase) {
    this.#batch = batch
    this.#base = base
  }

  unwindState(block: number): void {
    const { accounts, packedInto } = readChangedKeys(this.#base.kv, block)
    assert(packedInto === undefined, 'A block whose changed keys are packed is never unwound.')
    for (const account of accounts) {
      this.keys.add(account)
      const { address, incarnation } = account
      this.#unwindKey(accountKey(address), block)
      for (const slot of changedSlots(account)) {
        this.#unwindKey(storageKey(address, incarnation, slot), block)
      }
    }
    this.#batch.delete(numberKey(TABLE.changedKeys, block))
  }

  read(key: Buffer): Uint8Array | undefined {
    const restored = this.#restored.get(keyText(key))
    return restored === undefined ? this.#base.kv.get(key) : restored.stored
  }

  writeFlat(): void {
    for (const [text, { key, stored }] of this.#restored) {
      if (stored === undefined) this.#batch.delete(key)
      else this.#batch.put(key, stored)
      this.#base.cache.set(text, stored ?? null)
    }
  }

  #unwindKey(sharedKey: Buffer, block: number): void {
    const key = Buffer.from(sharedKey)
    const stored = this.read(key)
    if (stored === undefined) throw corruptFault(`a value that block ${block} changed is not there`)
    const before = flatBeforeChange(this.#base.kv, key, stored, block)
    this.#restored.set(keyText(key), { key, stored: before })
    this.#batch.delete(historyKey(key, block))
  }
}

function rewindAnchor(nodes: NodeStore, base: VersionBase, to: number, trieVersion: number): void {
  const keys = readChangedKeys(base.kv, to)
  const isCut = keys.batchEnd > to && keys.anchor === keys.batchEnd
  nodes.anchors?.rewind(isCut ? { block: to, version: trieVersion } : anchorOf(base.kv, keys))
}

/** The last batch contained removed blocks, so its trie now belongs to the block at `to`. */
function cutBatch(batch: KvBatch, base: VersionBase, to: number, trieVersion: number): void {
  for (let block = to; block >= 0; block--) {
    const stored = base.kv.get(numberKey(TABLE.changedKeys, block))
    const keys = stored && decodeChangedKeys(block, stored)
    if (keys === undefined || keys.batchEnd <= to) return
    const anchor = keys.anchor === keys.batchEnd ? to : keys.anchor
    const cut = encodeChangedKeys(block, { ...keys, trieVersion, batchEnd: to, trieBehind: to, anchor })
    batch.put(numberKey(TABLE.changedKeys, block), cut)
  }
}

/** Removes a block from the canonical chain; it stays as a sibling. */
function forgetBlock(
  batch: KvBatch,
  base: VersionBase,
  number: number,
  transactionHashes: TransactionHashes,
): void {
  const key = numberKey(TABLE.canonical, number)
  const hash = base.kv.get(key)
  const body = hash && base.kv.get(blockKey(TABLE.body, number, hash))
  if (body === undefined) throw corruptFault(`block ${number} has no body`)
  for (const transaction of transactionHashes(decodeBlob(body), number)) {
    batch.delete(hashKey(TABLE.transaction, transaction))
  }
  batch.delete(key)
}
