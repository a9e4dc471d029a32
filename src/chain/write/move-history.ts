/**
 * Moves old blocks from the database to segments while the node runs, on the writer thread. It works in slices of
 * about two milliseconds and rests ten times as long, so blocks are imported and built in between. Every step can be
 * interrupted and continues at the next start.
 */

import { CHAIN_PROBLEMS } from '#chain/log-problems.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { leavingRoom } from '#store/disk-reserve.ts'
import type { Store } from '#store/writer.ts'
import type { Keccak } from '#types/keccak.ts'
import { indexedBlock } from './indexed-block.ts'

export interface MoveParts {
  readonly store: Store
  readonly keccak: Keccak
  readonly clock: Clock
  readonly log: Log
  /** Recent blocks that stay in the database. */
  readonly hotBlocks: number
  readonly segmentBlocks: number
}

const SLICE_MS = 2
const REST_MS = 20
/** How often it looks for blocks to move. */
const IDLE_MS = 10_000
/** A full disk may have room again. */
const RETRY_MS = 600_000

export class HistoryMover {
  readonly #parts: MoveParts
  #isStopped = false
  #wake = (): void => {}
  #sliceEndsMs = 0
  #running: Promise<void> = Promise.resolve()

  constructor(parts: MoveParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#wake()
    await this.#running
  }

  /** Moves and deletes all blocks that are due, and indexes their hashes. Returns false if it was stopped. */
  async moveAll(): Promise<boolean> {
    const { store, keccak, log, segmentBlocks } = this.#parts
    const blockAt = (number: number) => indexedBlock(store.inDatabase, number, keccak)
    const pause = leavingRoom(store.kv, () => this.#pause())
    const isStopped = () => this.#isStopped
    for (;;) {
      while (!this.#isStopped && (await store.clearMoved(blockAt))) await this.#pause()
      if (this.#isStopped) return false
      if (!this.#isDue()) {
        if (await store.packKeys({ pause: () => this.#pause(), isStopped })) continue
        // Last, because a damaged segment ends it, and blocks shall move nevertheless.
        if (!(await store.mergeHashes({ pause, isStopped }))) return true
      } else if (await store.moveBlocks({ segmentBlocks, blockAt, isStopped, pause })) {
        log.info('Moved blocks to a segment', { before: store.past.mark()?.end })
      }
    }
  }

  #isDue(): boolean {
    const { store, hotBlocks, segmentBlocks } = this.#parts
    const mark = store.past.mark() ?? { end: 0, segmentBlocks }
    return (store.head()?.number ?? 0) + 1 - hotBlocks >= mark.end + mark.segmentBlocks
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.moveAll()
        await this.#rest(IDLE_MS)
      } catch (error) {
        this.#parts.log.error(CHAIN_PROBLEMS.historyMoveFailed, { err: error })
        await this.#rest(RETRY_MS)
      }
    }
  }

  #pause(): Promise<void> | undefined {
    const { clock } = this.#parts
    if (clock.monotonicMs() < this.#sliceEndsMs) return undefined
    return this.#rest(REST_MS).then(() => {
      this.#sliceEndsMs = clock.monotonicMs() + SLICE_MS
    })
  }

  async #rest(ms: number): Promise<void> {
    if (this.#isStopped) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = this.#parts.clock.after(ms, resolve)
    this.#wake = resolve
    await promise
    timer.cancel()
  }
}
