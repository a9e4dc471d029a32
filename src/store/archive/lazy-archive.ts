import { DataPending } from '#platform/data-pending.ts'
import type { Kv } from '#store/kv/kv.ts'
import type { OpenArchive } from '#store/reader.ts'
import type { ArchivedObject, ChunkPlace } from '#store/segments/segment-layout.ts'
import type { ArchivePlace } from './archive-place.ts'

/**
 * The archive for threads that answer requests. Its modules are loaded at the first read: few requests need old blocks, and
 * the modules would delay the start of every thread. The read that loads them waits as for a chunk.
 */
export class LazyArchive implements OpenArchive {
  readonly #kv: Kv
  readonly #place: ArchivePlace
  #archive: OpenArchive | undefined
  #loading: Promise<void> | undefined
  #isClosed = false

  constructor(kv: Kv, place: ArchivePlace) {
    this.#kv = kv
    this.#place = place
  }

  read(first: number, object: ArchivedObject, place: ChunkPlace): Uint8Array {
    if (this.#archive !== undefined) return this.#archive.read(first, object, place)
    this.#loading ??= this.#load()
    throw new DataPending({ name: 'modules of the archive', bytes: 0 }, this.#loading)
  }

  close(): void {
    this.#isClosed = true
    this.#archive?.close()
  }

  async #load(): Promise<void> {
    const { openArchive } = await import('./archive-reader.ts')
    this.#archive = openArchive(this.#kv, this.#place)
    if (this.#isClosed) this.#archive.close()
  }
}
