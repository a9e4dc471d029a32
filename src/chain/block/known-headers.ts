/** Headers by hash, of stored blocks, canonical or not, and of executed blocks that are not stored yet. */
import type { StoreReader } from '#store/reader.ts'
import { assert } from '#types/assert.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { KnownHeader } from './stages.ts'

/** More than BLOCKHASH reaches back, so executing a recent block reads no ancestor from the store. */
const MAX_RECENT = 1_024

export class KnownHeaders {
  readonly #store: Pick<StoreReader, 'numberOf' | 'read'>
  /** Recent headers, oldest first. */
  readonly #recent = new Map<Hash, BlockHeader>()
  /** Ommers of recent blocks, because their bodies may not be stored yet. */
  readonly #ommers = new Map<Hash, readonly Hash[]>()

  constructor(store: Pick<StoreReader, 'numberOf' | 'read'>) {
    this.#store = store
  }

  add({ hash, header }: KnownHeader, ommers: readonly Hash[] = []): void {
    this.#recent.set(hash, header)
    if (ommers.length > 0) this.#ommers.set(hash, ommers)
    if (this.#recent.size <= MAX_RECENT) return
    const oldest = this.#recent.keys().next()
    if (oldest.done) return
    this.#recent.delete(oldest.value)
    this.#ommers.delete(oldest.value)
  }

  /** Returns undefined if only the stored body knows the ommers. */
  ommersOf(hash: Hash): readonly Hash[] | undefined {
    return this.#ommers.get(hash)
  }

  find(hash: Hash): BlockHeader | undefined {
    const recent = this.#recent.get(hash)
    if (recent !== undefined) return recent
    const bytes = hashToBytes(hash)
    const number = this.#store.numberOf(bytes)
    if (number === undefined) return undefined
    const stored = this.#store.read('header', number, bytes)
    assert(stored !== undefined, 'A block that has a number has a header.')
    const header = decodeHeader(stored)
    this.add({ hash, header })
    return header
  }

  /** Yields the block itself, then its ancestors. */
  *lineage(hash: Hash): Generator<KnownHeader, void, undefined> {
    for (let next = hash; ; ) {
      const header = this.find(next)
      if (header === undefined) return
      yield { hash: next, header }
      if (header.number === 0n) return
      next = header.parentHash
    }
  }

  /** Answers BLOCKHASH in a child of `parent`; the engine asks only for the last 256 blocks. */
  ancestorHashes(parent: KnownHeader): (number: bigint) => Uint8Array | undefined {
    const lineage = this.lineage(parent.hash)
    const hashes = new Map<bigint, Uint8Array>()
    return (number) => {
      let found = hashes.get(number)
      while (found === undefined) {
        const { value, done } = lineage.next()
        if (done || value === undefined) return undefined
        hashes.set(value.header.number, hashToBytes(value.hash))
        found = hashes.get(number)
        if (value.header.number <= number) break
      }
      return found
    }
  }
}
