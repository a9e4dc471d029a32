/** The indexes of hashes that exist now. A larger one replaces others while readers of other threads use them. */

import { join } from 'node:path'
import type { KvReader } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { equalBytes } from '#types/bytes.ts'
import { HashIndex, type HashPlace, hashIndexName } from './indexed-hashes.ts'
import { openSource } from './open-source.ts'
import { isDamage } from './segment-layout.ts'

/** Throws SEGMENT_DAMAGED, also for a missing index. */
export function openHashIndex(path: string): HashIndex {
  const source = openSource(path)
  try {
    return new HashIndex(source)
  } catch (error) {
    source.close()
    throw error
  }
}

export interface IndexedRange {
  readonly first: number
  readonly blocks: number
}

export class HashIndexes {
  readonly #kv: KvReader
  readonly #folder: string
  readonly #open = new Map<string, HashIndex>()

  constructor(kv: KvReader, folder: string) {
    this.#kv = kv
    this.#folder = folder
  }

  /** The ranges of the indexes, and the range after them up to `end`, which has none. Ascending, without gaps. */
  ranges(end: number): IndexedRange[] {
    let first = 0
    const ranges = (META.hashed.read(this.#kv) ?? []).map((blocks) => {
      first += blocks
      return { first: first - blocks, blocks }
    })
    ranges.push({ first, blocks: end - first })
    const names = new Set(ranges.map((range) => hashIndexName(range.first, range.blocks)))
    for (const [name, index] of this.#open) {
      if (!names.has(name)) this.#drop(name, index)
    }
    return ranges
  }

  /** Returns undefined if the range has no index, or a damaged one; a larger one may just have replaced it. */
  find({ first, blocks }: IndexedRange, hash: Uint8Array): HashPlace[] | undefined {
    const name = hashIndexName(first, blocks)
    try {
      const index = this.#open.get(name) ?? this.#openIndex(name, first, blocks)
      return index?.find(hash)
    } catch (error) {
      if (!isDamage(error)) throw error
      const index = this.#open.get(name)
      if (index !== undefined) this.#drop(name, index)
      return undefined
    }
  }

  close(): void {
    for (const [name, index] of this.#open) this.#drop(name, index)
  }

  #openIndex(name: string, first: number, blocks: number): HashIndex | undefined {
    const index = openHashIndex(join(this.#folder, name))
    const genesisHash = META.genesisHash.read(this.#kv)
    const isOurs = genesisHash !== undefined && equalBytes(index.genesisHash, genesisHash)
    if (!isOurs || index.first !== first || index.blocks !== blocks) {
      index.close()
      return undefined
    }
    this.#open.set(name, index)
    return index
  }

  #drop(name: string, index: HashIndex): void {
    this.#open.delete(name)
    index.close()
  }
}
