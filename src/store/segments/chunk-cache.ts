import { ByteCache, isAgain } from '#platform/byte-cache.ts'
import type { SegmentList } from './segment-layout.ts'

/** Chunks whose last read is remembered. */
const VISITED_MAX = 4_096

/**
 * Decompressed chunks. A chunk is cached when it is read for the second time: reads of random old blocks would replace
 * the cache again and again, and collecting the replaced chunks stops the thread for longer than such a read takes. The
 * last chunk of each list is always there, so a scan decompresses each chunk once.
 */
export class ChunkCache {
  readonly #chunks: ByteCache<string, Uint8Array>
  readonly #visited = new ByteCache<string, true>(VISITED_MAX)
  readonly #last = new Map<SegmentList, { readonly key: string; readonly bytes: Uint8Array }>()
  readonly #lastMaxBytes: number

  /** A chunk larger than a quarter of the bytes is not kept. */
  constructor(maxBytes: number) {
    this.#chunks = new ByteCache(maxBytes)
    this.#lastMaxBytes = maxBytes / 4
  }

  get(list: SegmentList, key: string, decode: () => Uint8Array): Uint8Array {
    const last = this.#last.get(list)
    if (last?.key === key) return last.bytes
    const cached = this.#chunks.get(key)
    const bytes = cached ?? decode()
    if (bytes.length <= this.#lastMaxBytes) this.#last.set(list, { key, bytes })
    if (cached !== undefined) return bytes
    if (isAgain(this.#visited, key)) this.#chunks.set(key, bytes, bytes.length)
    return bytes
  }
}
