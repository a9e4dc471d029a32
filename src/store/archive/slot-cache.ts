/**
 * A cache of chunks on disk that any number of threads and processes share without agreeing on anything: a key belongs to one
 * slot, a slot is one file, and the last writer wins. The number of slots bounds the space. Readers verify checksums, so
 * files need no sync.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { temporaryNameFor } from '#platform/files/files.ts'

/** Larger chunks are not cached. */
export const SLOT_BYTES = 128 * 1024
const LENGTH_BYTES = 2

export class SlotCache {
  readonly #folder: string
  readonly #slots: number
  readonly #requireRoom: () => void

  /** `requireRoom` throws if the disk is nearly full. */
  constructor(folder: string, maxBytes: number, requireRoom: () => void) {
    this.#folder = folder
    this.#slots = Math.floor(maxBytes / SLOT_BYTES)
    this.#requireRoom = requireRoom
  }

  get(key: string): Uint8Array | undefined {
    if (this.#slots === 0) return undefined
    try {
      const file = readFileSync(this.#pathOf(key))
      const wanted = Buffer.from(key)
      const start = LENGTH_BYTES + wanted.length
      const isWanted =
        file.readUInt16BE(0) === wanted.length && wanted.equals(file.subarray(LENGTH_BYTES, start))
      return isWanted ? file.subarray(start) : undefined
    } catch {
      return undefined
    }
  }

  /** A failure costs another read from the archive, and nothing else. */
  set(key: string, bytes: Uint8Array): void {
    const name = Buffer.from(key)
    if (this.#slots === 0 || LENGTH_BYTES + name.length + bytes.length > SLOT_BYTES) return
    const path = this.#pathOf(key)
    const part = temporaryNameFor(path)
    try {
      this.#requireRoom()
      mkdirSync(this.#folder, { recursive: true })
      const length = Buffer.alloc(LENGTH_BYTES)
      length.writeUInt16BE(name.length)
      writeFileSync(part, Buffer.concat([length, name, bytes]))
      renameSync(part, path)
    } catch {
      rmSync(part, { force: true })
    }
  }

  /** Deletes slots of a larger cache, and files that a kill left. Call it while no other thread writes. */
  trim(): void {
    let names: string[]
    try {
      names = readdirSync(this.#folder)
    } catch {
      return
    }
    for (const name of names) {
      if (!(/^\d+$/.test(name) && Number(name) < this.#slots))
        rmSync(join(this.#folder, name), { force: true })
    }
  }

  #pathOf(key: string): string {
    return join(this.#folder, String(crc32(key) % this.#slots))
  }
}
