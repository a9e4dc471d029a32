/** The store as chain writes it: one batch at a time, in order, and pruning in between. */
import type { Log } from '#platform/log/log.ts'
import { assert } from '#types/assert.ts'
import type { Keccak } from '#types/keccak.ts'
import { type BlockToCommit, writeBlobs, writeBlocks, writeCallTrees } from './commit.ts'
import { storeFault } from './faults.ts'
import type { Kv, KvBatch } from './kv/kv.ts'
import { readHead, readLowest, readTracedFrom, writeMark, writeTracedFrom, writeTrieMark } from './meta.ts'
import type { NodeStore } from './node-store.ts'
import { pruneSlice } from './prune.ts'
import { LedgerReader } from './reader.ts'
import { deriveVersion } from './state/derive-state.ts'
import type { StateLimits } from './state/flat-state.ts'
import { Version, type VersionBase } from './state/state-version.ts'
import type { BlockMark, Head, NewBlock, StateVersion, Store, StoredBlock, TracedBlock } from './store.ts'
import { writeTraceIndex } from './traced-blocks.ts'
import { writeUnwind } from './unwind.ts'
import { traceKeysBefore } from './upkeep/trace-keys.ts'

export interface WriterParts {
  readonly kv: Kv
  readonly limits: StateLimits
  readonly keccak: Keccak
  readonly base: VersionBase
  readonly nodes: NodeStore
  readonly log: Log
}

export class LedgerStore extends LedgerReader implements Store {
  readonly #base: VersionBase
  readonly #nodes: NodeStore
  readonly #log: Log
  /** Of the last block given to commitBlocks. */
  #headVersion: Version
  #headBlock: Head | undefined
  #lowest: number
  #tracedFrom: number
  /** Writes one after another: LevelDB gives no order to those it is handed together. */
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
    this.#headBlock = readHead(kv)
    this.#lowest = readLowest(kv)
    this.#tracedFrom = readTracedFrom(kv) ?? (this.#headBlock === undefined ? 0 : this.#headBlock.number + 1)
  }

  headState(): StateVersion {
    return this.#headVersion
  }

  deriveState(parent: StateVersion, changes: Uint8Array): StateVersion {
    assert(
      parent instanceof Version && this.#isCurrent(parent),
      'A state is derived from the head or above it.',
    )
    return deriveVersion(parent, changes)
  }

  requireRoom(blocks: readonly StoredBlock[]): void {
    this.kv.requireRoom(bytesOf(blocks))
  }

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
      writeBlocks(batch, this.#base, toCommit, this.#lowest)
      const untraced = toCommit.findLast(({ block }) => block.parties === undefined)
      if (untraced !== undefined) this.#tracedFrom = untraced.block.number + 1
      writeTracedFrom(batch, this.#tracedFrom)
      await this.#writeTries(batch)
      last.version.settle()
    })
    this.#startPruning()
  }

  async writeSiblings(blocks: readonly StoredBlock[]): Promise<void> {
    this.requireRoom(blocks)
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      for (const block of blocks) writeBlobs(batch, block)
      await batch.write({ sync: true })
    })
  }

  async unwind(
    to: number,
    transactionHashes: (body: Uint8Array, number: number) => readonly Uint8Array[],
  ): Promise<void> {
    const from = this.#headBlock?.number
    assert(from !== undefined && to <= from, 'Only blocks above the given one are unwound.')
    if (to === from) return
    this.kv.requireRoom(0)
    if (to < this.lowestState()) {
      const sentence = `The chain cannot go back to block ${to}: states below ${this.lowestState()} are not kept.`
      throw storeFault('STATE_UNAVAILABLE', { sentence, number: to })
    }
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      this.#nodes.version++
      writeUnwind(batch, this.#base, this.#nodes, { from, to }, transactionHashes)
      this.#tracedFrom = Math.min(this.#tracedFrom, to + 1)
      writeTracedFrom(batch, this.#tracedFrom)
      await this.#writeTries(batch)
      this.#base.rotation.forgetStorage()
      this.#headVersion.isEnded = true
      this.#headVersion = this.#base.versionOnDisk()
      this.#base.durable = this.#headVersion
      this.#headBlock = readHead(this.kv)
      this.#log.debug('Unwound the chain', { from, to })
    })
  }

  async setMarks(marks: { readonly safe?: BlockMark; readonly finalized?: BlockMark }): Promise<void> {
    await this.#enqueue(async () => {
      const batch = this.kv.batch()
      if (marks.safe) writeMark(batch, 'safe', marks.safe)
      if (marks.finalized) writeMark(batch, 'finalized', marks.finalized)
      await batch.write({ sync: true })
    })
  }

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
      writeTracedFrom(batch, this.#tracedFrom)
      await batch.write({ sync: true })
    })
  }

  async forgetTraces(before: number, mayGoOn: (removed: number) => boolean): Promise<number> {
    await this.#enqueue(async () => {
      if (before <= this.#tracedFrom) return
      const batch = this.kv.batch()
      this.#tracedFrom = before
      writeTracedFrom(batch, before)
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

  /** Brings the trie on disk to the head, so that the next start has nothing to repair. */
  async flushTries(): Promise<void> {
    await this.#enqueue(async () => {
      if (this.#headBlock === undefined) return
      const batch = this.kv.batch()
      this.#nodes.version++
      writeTrieMark(batch, this.#base.rotation.flushAll(batch, this.#headBlock.number))
      await this.#writeTries(batch)
    })
  }

  /** Without it the next start repairs the tries. */
  #hasRoom(): boolean {
    try {
      this.kv.requireRoom(0)
      return true
    } catch (error) {
      this.#log.warn('The tries are not brought to the head, and the next start does so.', { err: error })
      return false
    }
  }

  async #writeTries(batch: KvBatch): Promise<void> {
    await batch.write({ sync: true })
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

  /** After a write failed nothing is certain but what was durable before: the store refuses the rest. */
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

  async pruneHistory(mayGoOn: (lowest: number, target: number) => boolean): Promise<void> {
    await this.settled()
    await this.#prune(mayGoOn)
  }

  #startPruning(): void {
    if (this.#isPruning || this.limits.format !== 'BONSAI') return
    this.#isPruning = true
    this.#pruning = this.#prune()
      .catch((error) => this.#log.error('Old states cannot be removed', { err: error }))
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
        // Not synced: what is lost with the power is pruned again.
        await batch.write({ sync: false })
      })
    }
  }
}

/** The least that they take on the disk; the reserve has room for what they change. */
function bytesOf(blocks: readonly StoredBlock[]): number {
  const sizes = blocks.map(
    ({ header, body, receipts, callTrees }) =>
      header.length + body.length + (receipts?.length ?? 0) + (callTrees?.length ?? 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
