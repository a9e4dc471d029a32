/** The store as chain writes it: one batch at a time, in order, with pruning in between. */
import type { Log } from '#platform/log/log.ts'
import { ADDRESS_BYTES } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Keccak } from '#types/keccak.ts'
import { type BlockToCommit, writeBlobs, writeBlocks, writeCallTrees } from './commit.ts'
import { readSavepoint, requireDevelopment, type Savepoint, writePending, writeSavepoint } from './edits.ts'
import { storeFault } from './faults.ts'
import { numberAt, numberKey, TABLE } from './kv/keys.ts'
import type { Kv, KvBatch } from './kv/kv.ts'
import { STORE_PROBLEMS } from './log-problems.ts'
import { META, schemaVersionOf } from './meta.ts'
import type { NodeStore } from './node-store.ts'
import { StoreReader } from './reader.ts'
import { mergeNextHashes } from './segments/merge-hashes.ts'
import { deleteMovedBlock, MOVED_TABLES } from './segments/move.ts'
import { keepIntactOutline } from './segments/outline.ts'
import { reduceToHeaders, type SegmentFileOptions, writeSegmentFile } from './segments/segment-file.ts'
import { unlessDamaged } from './segments/segment-layout.ts'
import type { SegmentBlock } from './segments/segment-writer.ts'
import { deriveVersion } from './state/derive-state.ts'
import type { StateLimits } from './state/flat-state.ts'
import type { PackWork } from './state/pack-keys.ts'
import { pruneSlice } from './state/prune-slice.ts'
import { Version, type VersionBase } from './state/state-version.ts'
import type { BlockMark, Head, NewBlock, StateVersion, StoredBlock, TracedBlock } from './store.ts'
import { writeTraceIndex } from './traced-blocks.ts'
import { writeUnwind } from './unwind.ts'

export interface WriterParts {
  readonly kv: Kv
  readonly limits: StateLimits
  readonly keccak: Keccak
  readonly base: VersionBase
  readonly nodes: NodeStore
  readonly log: Log
}

/** Other effects of a rewind, on a development network. */
export interface RewindEffects {
  /** The edits that are pending afterwards. */
  readonly edits: readonly Uint8Array[]
  /** Savepoints from this one on are forgotten. */
  readonly firstForgotten: number
}

export interface MoveOptions extends Pick<SegmentFileOptions, 'isStopped' | 'pause'> {
  /** Returns undefined for a block that a rewind has removed. */
  readonly blockAt: (number: number) => SegmentBlock | undefined
  /** Applies to a database without segments; later ones have the same size. */
  readonly segmentBlocks: number
}

const FORGETS_EDITS: RewindEffects = { edits: [], firstForgotten: Number.POSITIVE_INFINITY }

/** Used by chain alone, on the writer thread. */
export class Store extends StoreReader {
  readonly #base: VersionBase
  readonly #nodes: NodeStore
  readonly #log: Log
  /** The last version given to commitBlocks. */
  #headVersion: Version
  #headBlock: Head | undefined
  #lowest: number
  #tracedFrom: number
  /** Blocks before this one are in segments, or will be when a write under way is durable. */
  #movedEnd: number
  #unwindsUnderWay = 0
  /** Serialises writes, because LevelDB does not order concurrent ones. */
  #queue: Promise<unknown> = Promise.resolve()
  #pruning: Promise<void> = Promise.resolve()
  #isPruning = false
  #failure: unknown

  constructor({ kv, limits, keccak, base, nodes, log }: WriterParts) {
    super(kv, limits, keccak)
    this.#base = base
    this.#nodes = nodes
    this.#log = log
    this.#headVersion = base.durable
    this.#headBlock = META.head.read(kv)
    this.#lowest = META.lowest.read(kv) ?? 0
    this.#movedEnd = META.moved.read(kv)?.end ?? 0
    this.#tracedFrom =
      META.tracedFrom.read(kv) ?? (this.#headBlock === undefined ? 0 : this.#headBlock.number + 1)
  }

  /** Unknown if a segment is damaged: its blocks never become the head again, so it must not refuse new blocks. */
  override numberOf(hash: Uint8Array): number | undefined {
    return unlessDamaged(() => super.numberOf(hash))
  }

  /** The state after the last block given to commitBlocks, durable or not; empty before block 0. */
  headState(): StateVersion {
    return this.#headVersion
  }

  /** Applies changes (types/state-changes.ts) to the parent and returns the new state with its root. */
  deriveState(parent: StateVersion, changes: Uint8Array): StateVersion {
    assert(
      parent instanceof Version && this.#isCurrent(parent),
      'A state is derived from the head or above it.',
    )
    return deriveVersion(parent, changes)
  }

  /** Throws DISK_FULL if the blocks might not fit. Called before a commit, it leaves everything unchanged. */
  requireRoom(blocks: readonly StoredBlock[]): void {
    this.kv.requireRoom(bytesOf(blocks))
  }

  /**
   * Commits blocks that follow the head in one atomic batch; resolves when it is durable. Call it once at a time;
   * blocks may be executed on the new head meanwhile. After a failure the store refuses everything.
   */
  async commitBlocks(blocks: readonly NewBlock[]): Promise<void> {
    const toCommit = this.#requireChain(blocks)
    const last = toCommit.at(-1)
    if (last === undefined) return
    for (const { version } of toCommit) version.parent!.isEnded = true
    this.#headVersion = last.version
    const { number, hash, timestamp } = last.block
    this.#headBlock = { number, hash, timestamp }
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      this.#nodes.version++
      writeBlocks(batch, this.#base, this.#nodes, toCommit, this.#lowest)
      const untraced = toCommit.findLast(({ block }) => block.parties === undefined)
      if (untraced !== undefined) this.#tracedFrom = untraced.block.number + 1
      META.tracedFrom.write(batch, this.#tracedFrom)
      if (this.isDevelopment) writePending(batch, this.kv, 0, [])
      await this.#writeTries(batch)
      last.version.settle()
    })
    this.#startPruning()
  }

  /** Stores blocks that are not canonical; they are found by hash. */
  async writeSiblings(blocks: readonly StoredBlock[]): Promise<void> {
    this.requireRoom(blocks)
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      for (const block of blocks) writeBlobs(batch, block)
      await batch.write({ sync: true })
    })
  }

  /**
   * Rewinds to the state after block `to` in one atomic batch; the blocks above stay as siblings. Throws
   * STATE_UNAVAILABLE below lowestState. `transactionHashes` lists the index entries to remove.
   */
  async unwind(
    to: number,
    transactionHashes: (body: Uint8Array, number: number) => readonly Uint8Array[],
    effects: RewindEffects = FORGETS_EDITS,
  ): Promise<void> {
    const from = this.#headBlock?.number
    assert(from !== undefined && to <= from, 'Only blocks above the given one are unwound.')
    if (to === from && !this.isDevelopment) return
    this.kv.requireRoom(0)
    const lowest = this.lowestRewind()
    if (to < lowest) {
      const reason =
        lowest > this.lowestState() ? 'older blocks are in segments' : 'older states are not kept'
      const sentence = `The chain cannot go back to block ${to}, but to ${lowest}: ${reason}.`
      throw storeFault('STATE_UNAVAILABLE', { sentence, number: to })
    }
    // Set before any other work runs, so no segment of the removed blocks is published meanwhile.
    this.#unwindsUnderWay++
    const unwound = this.#enqueue(async () => {
      const batch = this.kv.batch()
      if (this.isDevelopment) this.#writeEffects(batch, effects)
      if (to === from) {
        await batch.write({ sync: this.#isSynced })
        return
      }
      this.#nodes.version++
      writeUnwind(batch, this.#base, this.#nodes, { from, to }, transactionHashes)
      this.#tracedFrom = Math.min(this.#tracedFrom, to + 1)
      META.tracedFrom.write(batch, this.#tracedFrom)
      await this.#writeTries(batch)
      this.#base.rotation.forgetStorage()
      this.#headVersion.isEnded = true
      this.#headVersion = this.#base.versionOnDisk()
      this.#base.durable = this.#headVersion
      this.#headBlock = META.head.read(this.kv)
      this.#log.debug('Unwound the chain', { from, to })
    })
    await unwound.finally(() => this.#unwindsUnderWay--)
  }

  /** The lowest block that can become the head again: its state is kept, and it is in the database. */
  lowestRewind(): number {
    return Math.max(this.lowestState(), this.#movedEnd)
  }

  /**
   * Writes a range of canonical blocks to a segment and records that they are there. Returns false if it was stopped, or
   * if a rewind has replaced blocks meanwhile. Deletes nothing: `clearMoved` does.
   */
  async moveBlocks(options: MoveOptions): Promise<boolean> {
    const { segmentFolder: folder } = this.kv
    assert(folder !== undefined, 'Blocks are moved from a database on disk.')
    const mark = this.past.mark() ?? { end: 0, cleared: 0, segmentBlocks: options.segmentBlocks }
    const { end: first, segmentBlocks: count } = mark
    const genesisHash = META.genesisHash.read(this.kv)
    assert(genesisHash !== undefined, 'A chain has block 0.')
    const unwinds = META.head.read(this.kv)?.unwinds
    this.kv.requireRoom(0)
    // The outline was compared with these blocks, and the archive has more of them than this database.
    const isOutlined = await keepIntactOutline(folder, first)
    if (!isOutlined && !(await writeSegmentFile({ ...options, folder, first, count, genesisHash })))
      return false
    let isMoved = false
    await this.#enqueue(async () => {
      const head = META.head.read(this.kv)
      if (this.#unwindsUnderWay > 0 || head?.unwinds !== unwinds) return
      this.#movedEnd = first + count
      const batch = this.kv.batch()
      META.moved.write(batch, { ...mark, end: first + count })
      META.identity.write(batch, { schemaVersion: schemaVersionOf(this.format, true), format: this.format })
      await batch.write({ sync: true })
      isMoved = true
    })
    return isMoved
  }

  /** Merges hashes of moved blocks into an index. Returns false if no merge is due; throws SEGMENT_DAMAGED. */
  async mergeHashes(work: Pick<MoveOptions, 'pause' | 'isStopped'>): Promise<boolean> {
    const { segmentFolder: folder } = this.kv
    const mark = this.past.mark()
    const genesisHash = META.genesisHash.read(this.kv)
    if (folder === undefined || mark === undefined || genesisHash === undefined) return false
    this.kv.requireRoom(0)
    const record = (sizes: readonly number[]) =>
      this.#enqueue(async () => {
        const batch = this.kv.batch()
        META.hashed.write(batch, sizes)
        await batch.write({ sync: true })
      })
    const recorded = META.hashed.read(this.kv) ?? []
    return await mergeNextHashes({ ...work, ...mark, folder, genesisHash, recorded, record })
  }

  /**
   * Packs changed keys of moved blocks, which no rewind needs any more, in an archive of states. Returns false if none are
   * left or it was stopped.
   */
  async packKeys(work: PackWork): Promise<boolean> {
    const end = this.past.mark()?.end
    if (this.format !== 'FOREST' || end === undefined) return false
    const { collectPack } = await import('./state/pack-keys.ts')
    const first = Math.max(META.packed.read(this.kv) ?? 0, this.lowestState())
    const pack = await collectPack(this.kv, first, end, work)
    if (pack === undefined) return false
    const batch = this.kv.batch()
    pack.write(batch)
    const next = pack.last + 1
    META.packed.write(batch, next)
    this.kv.requireRoom(batch.bytes)
    // Not synced: a power failure loses the complete batch, which is made again.
    await this.#enqueue(() => batch.write({ sync: false }))
    await this.kv.compact(numberKey(TABLE.changedKeys, first), numberKey(TABLE.changedKeys, next))
    return true
  }

  /** Deletes entries of moved blocks until the slice is full. Returns false if no more are left. */
  async clearMoved(blockAt: MoveOptions['blockAt']): Promise<boolean> {
    const mark = this.past.mark()
    if (mark === undefined || mark.cleared === mark.end) return false
    const batch = this.kv.batch()
    let number = mark.cleared
    while (number < mark.end && batch.bytes < CLEARED_BYTES) {
      const block = blockAt(number)
      assert(block !== undefined, 'A moved block cannot be rewound.')
      deleteMovedBlock(batch, number, block)
      number++
    }
    META.moved.write(batch, { ...mark, cleared: number })
    // Not synced: deletions lost in a power failure are repeated. They are lost together with the mark.
    await this.#enqueue(() => batch.write({ sync: false }))
    if (number === mark.end) await this.#compactMoved(number - mark.segmentBlocks, number)
    return true
  }

  /**
   * Reduces segments of blocks before this one to headers, and returns the first block that stays complete. The mark is
   * durable before the first segment is replaced; an interrupted call continues at the next one.
   */
  async dropMoved(before: number, mayGoOn: (done: number, of: number) => boolean): Promise<number> {
    const { segmentFolder: folder } = this.kv
    const mark = this.past.mark()
    if (folder === undefined || mark === undefined) return this.firstBlock()
    const { cleared, segmentBlocks } = mark
    const bound = Math.min(before, cleared)
    const first = bound - (bound % segmentBlocks)
    this.kv.requireRoom(0)
    await this.#raiseFirstBlock(first)
    await this.forgetTraces(first, () => true)
    for (let at = 0; at < first; at += segmentBlocks) {
      await reduceToHeaders(folder, at)
      if (!mayGoOn(at + segmentBlocks, first)) break
    }
    return this.firstBlock()
  }

  async #raiseFirstBlock(first: number): Promise<void> {
    await this.#enqueue(async () => {
      if (first <= this.firstBlock()) return
      const batch = this.kv.batch()
      META.firstBlock.write(batch, first)
      await batch.write({ sync: true })
    })
  }

  async #compactMoved(from: number, to: number): Promise<void> {
    for (const table of MOVED_TABLES) {
      await this.kv.compact(numberKey(TABLE[table], from), numberKey(TABLE[table], to))
    }
  }

  /** Records changes that the next block applies before its transactions, on a development network. */
  async addEdit(changes: Uint8Array): Promise<void> {
    this.kv.requireRoom(changes.length)
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      writePending(batch, this.kv, requireDevelopment(this.kv).pending, [changes])
      await batch.write({ sync: this.#isSynced })
    })
  }

  /** Records the head and the pending edits, and returns the id, on a development network. */
  async addSavepoint(): Promise<number> {
    this.kv.requireRoom(0)
    let id = 0
    await this.#enqueue(async () => {
      const development = requireDevelopment(this.kv)
      const head = this.#headBlock
      assert(head !== undefined, 'A chain has a head from block 0 on.')
      id = development.lastSavepoint + 1
      const batch = this.kv.batch()
      writeSavepoint(batch, id, { number: head.number, hash: head.hash, edits: development.pending })
      META.development.write(batch, { ...development, lastSavepoint: id })
      await batch.write({ sync: this.#isSynced })
    })
    return id
  }

  savepoint(id: number): Savepoint | undefined {
    return readSavepoint(this.kv, id)
  }

  #writeEffects(batch: KvBatch, { edits, firstForgotten }: RewindEffects): void {
    writePending(batch, this.kv, 0, edits)
    const { lastSavepoint } = requireDevelopment(this.kv)
    for (let id = firstForgotten; id <= lastSavepoint; id++) {
      batch.delete(numberKey(TABLE.savepoint, id))
    }
  }

  async setMarks(marks: { readonly safe?: BlockMark; readonly finalized?: BlockMark }): Promise<void> {
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      if (marks.safe) META.safe.write(batch, marks.safe)
      if (marks.finalized) META.finalized.write(batch, marks.finalized)
      await batch.write({ sync: true })
    })
  }

  /** Adds call trees to canonical blocks directly below tracedFrom, highest first, and lowers tracedFrom. */
  async addTraces(blocks: readonly TracedBlock[]): Promise<void> {
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      for (const block of blocks) {
        assert(
          block.number === this.#tracedFrom - 1,
          `Block ${this.#tracedFrom - 1} is the next to be traced.`,
        )
        writeCallTrees(batch, block)
        writeTraceIndex(batch, block.number, block.parties)
        this.#tracedFrom = block.number
      }
      META.tracedFrom.write(batch, this.#tracedFrom)
      await batch.write({ sync: true })
    })
  }

  /**
   * Removes call trees before a block and returns the number of entries. An interrupted removal continues at the next
   * call.
   */
  async forgetTraces(before: number, mayGoOn: (removed: number) => boolean): Promise<number> {
    await this.#enqueue(async () => {
      if (before <= this.#tracedFrom) return
      const batch = this.kv.batch()
      this.#tracedFrom = before
      META.tracedFrom.write(batch, before)
      await batch.write({ sync: true })
    })
    let removed = 0
    for await (const keys of traceKeysBefore(this.kv, before)) {
      await this.#enqueue(async () => {
        const batch = this.kv.batch()
        for (const key of keys) batch.delete(key)
        await batch.write({ sync: false })
      })
      removed += keys.length
      if (!mayGoOn(removed)) break
    }
    return removed
  }

  /** Resolves when no pruning is under way or due. */
  async settled(): Promise<void> {
    await this.#queue
    await this.#pruning
  }

  override async close(): Promise<void> {
    await this.settled()
    if (this.#failure === undefined && this.#headBlock !== undefined && this.#hasRoom()) {
      await this.flushTries()
    }
    this.#failure ??= storeFault('STORE_CLOSED', { sentence: 'The store is closed.' })
    await super.close()
  }

  /** Updates the trie on disk to the head, so the next start has nothing to repair. */
  async flushTries(): Promise<void> {
    await this.#enqueue(async () => {
      if (this.#headBlock === undefined) return
      const batch = this.kv.batch()
      this.#nodes.version++
      META.trie.write(batch, this.#base.rotation.flushAll(batch, this.#headBlock.number))
      await this.#writeTries(batch)
    })
  }

  /** Without room, the next start repairs the tries. */
  #hasRoom(): boolean {
    try {
      this.kv.requireRoom(0)
      return true
    } catch (error) {
      this.#log.warn(STORE_PROBLEMS.trieFlushSkipped, { err: error })
      return false
    }
  }

  /** A development chain survives the end of the process, but not the loss of power: a sync takes longer than its block. */
  get #isSynced(): boolean {
    return !this.isDevelopment
  }

  async #writeTries(batch: KvBatch): Promise<void> {
    await batch.write({ sync: this.#isSynced })
    this.#nodes.settle()
  }

  #requireChain(blocks: readonly NewBlock[]): BlockToCommit[] {
    let parent = this.#headVersion
    let number = this.#headBlock === undefined ? 0 : this.#headBlock.number + 1
    return blocks.map((block) => {
      const { state: version } = block
      assert(block.number === number, `Block ${number} follows, and not ${block.number}.`)
      assert(
        version instanceof Version && version.parent === parent,
        'The state of a block is derived from its parent.',
      )
      parent = version
      number++
      return { block, version }
    })
  }

  #isCurrent(version: Version): boolean {
    for (let ancestor: Version | undefined = version; ancestor !== undefined; ancestor = ancestor.parent) {
      if (ancestor === this.#headVersion) return true
    }
    return false
  }

  /** After a failed write only earlier durable data is certain, so the store refuses the rest. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(async () => {
      if (this.#failure !== undefined) throw this.#failure
      try {
        await work()
      } catch (error) {
        this.#failure = error
        throw error
      }
    })
    this.#queue = done.catch(() => undefined)
    return done
  }

  /** Removes states that the format does not keep until `mayGoOn` returns false. The rest is removed the next time. */
  async pruneHistory(mayGoOn: (lowest: number, target: number) => boolean): Promise<void> {
    await this.settled()
    await this.#prune(mayGoOn)
  }

  #startPruning(): void {
    if (this.#isPruning || this.limits.format !== 'BONSAI') return
    this.#isPruning = true
    this.#pruning = this.#prune()
      .catch((error) => this.#log.error(STORE_PROBLEMS.pruningFailed, { err: error }))
      .finally(() => {
        this.#isPruning = false
      })
  }

  async #prune(mayGoOn?: (lowest: number, target: number) => boolean): Promise<void> {
    for (;;) {
      const target = (this.#headBlock?.number ?? 0) - this.limits.historyBlocks + 1
      if (this.#lowest >= target || this.#failure !== undefined) return
      if (mayGoOn?.(this.#lowest, target) === false) return
      await this.#enqueue(async () => {
        const batch = this.kv.batch()
        this.#lowest = pruneSlice(batch, this.#base, this.#lowest, target)
        // Not synced: entries lost in a power failure are pruned again.
        await batch.write({ sync: false })
      })
    }
  }
}

/** Minimum size on disk; the reserve covers their state changes. */
function bytesOf(blocks: readonly StoredBlock[]): number {
  const sizes = blocks.map(
    ({ header, body, receipts, callTrees }) =>
      header.length + body.length + (receipts?.length ?? 0) + (callTrees?.length ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Bytes of keys deleted at once, about a millisecond of work. */
const CLEARED_BYTES = 32 * 1024
/** Keys per batch, some milliseconds of work. */
const SLICE_KEYS = 4_000

/** Yields keys of call trees and of their index before a block, in slices. */
async function* traceKeysBefore(kv: Kv, before: number): AsyncGenerator<Uint8Array[], void, undefined> {
  let slice: Uint8Array[] = []
  for await (const key of keysBefore(kv, before)) {
    slice.push(key)
    if (slice.length < SLICE_KEYS) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

async function* keysBefore(kv: Kv, before: number): AsyncGenerator<Uint8Array, void, undefined> {
  const trees = { gte: numberKey(TABLE.callTrees, 0), lt: numberKey(TABLE.callTrees, before) }
  for await (const [key] of kv.range({ ...trees, limit: Number.POSITIVE_INFINITY })) yield key
  // These keys begin with the address, so every entry must be read.
  const index = { gte: Uint8Array.of(TABLE.traceCaller), lt: Uint8Array.of(TABLE.traceCallee + 1) }
  for await (const [key] of kv.range({ ...index, limit: Number.POSITIVE_INFINITY })) {
    if (numberAt(key, 1 + ADDRESS_BYTES) < before) yield key
  }
}
