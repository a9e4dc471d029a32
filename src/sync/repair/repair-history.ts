/** Repairs damaged segments from peers, one after the other, while the node runs. */

import type { DamagedHistory } from '#chain/write/damaged-history.ts'
import type { Clock } from '#platform/clock.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import type { FetchHistoryParts } from './fetch-history.ts'

/** How often it looks for damage that a reader has noted. */
const LOOK_MS = 10_000
/** Pause after peers could not help. */
const RETRY_MS = 300_000

export interface RepairParts extends FetchHistoryParts {
  readonly clock: Clock
  readonly history: DamagedHistory
}

export class HistoryRepair {
  readonly #parts: RepairParts
  #notBeforeMs = Number.NEGATIVE_INFINITY
  #isBusy = false

  constructor(parts: RepairParts) {
    this.#parts = parts
    const timer = parts.clock.every(LOOK_MS, () => void this.look(), { unref: true })
    parts.signal.addEventListener('abort', () => timer.cancel(), { once: true })
  }

  /** Repairs everything that is damaged; resolves at once while it is at work. */
  async look(): Promise<void> {
    const { clock, log, history, peers, signal } = this.#parts
    if (this.#isBusy || signal.aborted || clock.monotonicMs() < this.#notBeforeMs || peers().length === 0)
      return
    this.#isBusy = true
    try {
      for (const first of history.damaged()) {
        try {
          await this.#repair(first)
        } catch (err) {
          this.#notBeforeMs = clock.monotonicMs() + RETRY_MS
          if (signal.aborted) return
          log.warn(SYNC_PROBLEMS.historyRepairFailed, { err })
        }
      }
    } finally {
      this.#isBusy = false
    }
  }

  async #repair(first: number): Promise<void> {
    const { log, history, signal } = this.#parts
    log.warn(SYNC_PROBLEMS.historyDamaged, { first })
    const { FetchHistory } = await import('./fetch-history.ts')
    const rebuilt = await history.repair(first, new FetchHistory(this.#parts), () => signal.aborted)
    if (rebuilt !== undefined) log.info('Repaired a history segment', { ...rebuilt })
  }
}
