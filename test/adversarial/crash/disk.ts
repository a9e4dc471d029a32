/**
 * Simulates a disk that keeps synced data and any part of the rest. A file keeps some of the writes since its last
 * sync: the first ones, a part of the next one, and after that, if the reader must expect it, zeros or random bytes.
 * A name is durable after a sync of its directory; of the unsynced names, the first ones in order of creation exist.
 * No code relies on further guarantees of file systems, with one exception: LevelDB syncs a new log or table and
 * expects its name to be synced too, as Linux does.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Random } from '#platform/random.ts'

const LEVELDB_FILE = /\/database\/(\d+\.|MANIFEST-)/

interface Change {
  readonly at: number
  readonly offset: number
  /** If undefined, the file is truncated at the offset. */
  readonly bytes: Buffer | undefined
}

export class DiskFile {
  synced: Buffer = Buffer.alloc(0)
  unsynced: Change[] = []
  size = 0
  readonly isDirectory: boolean

  constructor(isDirectory = false) {
    this.isDirectory = isDirectory
  }

  change(change: Change): void {
    this.unsynced.push(change)
    this.size = change.bytes === undefined ? change.offset : Math.max(this.size, endOf(change))
  }

  /** Marks as durable the writes from before the sync began. */
  sync(begunAt: number): void {
    const [before, after] = split(this.unsynced, ({ at }) => at < begunAt)
    this.synced = applied(this.synced, before)
    this.unsynced = after
  }

  /** The content as the program sees it. */
  content(): Buffer {
    return applied(this.synced, this.unsynced)
  }

  /** A possible content after a power cut. */
  remains(random: Random, hasTornTail: boolean): Buffer {
    const kept = random.randomBelow(this.unsynced.length + 1)
    const next = this.unsynced[kept]
    const changes = this.unsynced.slice(0, kept)
    if (next?.bytes === undefined) return applied(this.synced, changes)
    const cut = random.randomBelow(next.bytes.length + 1)
    const head = applied(this.synced, [...changes, { ...next, bytes: next.bytes.subarray(0, cut) }])
    const lost = next.bytes.length - cut
    if (!hasTornTail || lost === 0) return head
    const tail = random.randomBelow(3) === 0 ? random.randomBytes(lost) : new Uint8Array(lost)
    return random.randomBelow(2) === 0 ? head : Buffer.concat([head, tail])
  }
}

type Names = Map<string, DiskFile>

interface NameChange {
  readonly at: number
  readonly directory: string
  /** LevelDB's file behind the name. */
  readonly created: DiskFile | undefined
  apply(names: Names): void
}

export class Disk {
  readonly #root: string
  readonly #now: Names = new Map()
  #synced: Names = new Map()
  #unsynced: NameChange[] = []

  constructor(root: string) {
    this.#root = root
  }

  find(path: string): DiskFile | undefined {
    return this.#now.get(path)
  }

  create(at: number, path: string, file = new DiskFile()): DiskFile {
    const created = LEVELDB_FILE.test(path) ? file : undefined
    this.#rename({ at, directory: dirname(path), created, apply: (names) => names.set(path, file) })
    return file
  }

  remove(at: number, path: string): void {
    const file = this.#now.get(path)
    const apply = (names: Names) => names.get(path) === file && names.delete(path)
    this.#rename({ at, directory: dirname(path), created: undefined, apply })
  }

  rename(at: number, from: string, to: string): void {
    const file = this.#now.get(from)!
    const apply = (names: Names) => {
      if (names.get(from) === file) names.delete(from)
      names.set(to, file)
    }
    this.#rename({ at, directory: dirname(to), created: undefined, apply })
  }

  syncFile(file: DiskFile, begunAt: number): void {
    file.sync(begunAt)
    this.#settle(({ created, at }) => created === file && at < begunAt)
  }

  syncDirectory(path: string, begunAt: number): void {
    this.#settle(({ directory, at }) => directory === path && at < begunAt)
  }

  /** Names of data that a power cut could take, for tests in which nothing may be lost. */
  unsynced(): string[] {
    const files = [...this.#now].filter(([, { unsynced }]) => unsynced.length > 0)
    const names = this.#unsynced.map(({ directory }) => directory)
    return [...files.map(([path]) => path), ...names].map((path) => relative(this.#root, path))
  }

  contents(): Map<string, Buffer> {
    const files = [...this.#now].filter(([, { isDirectory }]) => !isDirectory)
    return new Map(files.map(([path, file]) => [relative(this.#root, path), file.content()]))
  }

  /** Creates a directory as a power cut may leave this one. */
  cut(random: Random, into: string, isTornAt: (path: string) => boolean): void {
    const names = new Map(this.#synced)
    for (const change of this.#unsynced.slice(0, random.randomBelow(this.#unsynced.length + 1))) {
      change.apply(names)
    }
    mkdirSync(into, { recursive: true })
    for (const [path, file] of names) {
      if (file.isDirectory || !this.#isReachable(names, path)) continue
      const copy = join(into, relative(this.#root, path))
      mkdirSync(dirname(copy), { recursive: true })
      writeFileSync(copy, file.remains(random, isTornAt(path)))
    }
  }

  #isReachable(names: Names, path: string): boolean {
    const directory = dirname(path)
    return directory === this.#root || (names.has(directory) && this.#isReachable(names, directory))
  }

  #rename(change: NameChange): void {
    change.apply(this.#now)
    this.#unsynced.push(change)
  }

  #settle(isSettled: (change: NameChange) => boolean): void {
    const [settled, left] = split(this.#unsynced, isSettled)
    for (const change of settled) change.apply(this.#synced)
    this.#unsynced = left
  }
}

function endOf({ offset, bytes }: Change): number {
  return offset + (bytes?.length ?? 0)
}

function applied(content: Buffer, changes: readonly Change[]): Buffer {
  const result = Buffer.alloc(Math.max(content.length, ...changes.map(endOf)))
  content.copy(result)
  let size = content.length
  for (const { offset, bytes } of changes) {
    if (bytes === undefined) {
      result.fill(0, offset)
      size = offset
    } else {
      bytes.copy(result, offset)
      size = Math.max(size, offset + bytes.length)
    }
  }
  return result.subarray(0, size)
}

function split<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
