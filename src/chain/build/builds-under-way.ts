/** Blocks that the writer is building: where their candidates come from, and their deadlines. */

import { CHAIN_PROBLEMS } from '#chain/log-problems.ts'
import { INTERRUPT } from '#evm/engine.ts'
import { Transferring } from '#platform/channel/channel-protocol.ts'
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Address } from '#types/address.ts'
import {
  type CandidateSource,
  encodeCandidates,
  type LeftOut,
  type SelectionOrder,
  type SelectionTerms,
  sliceCandidates,
  type WaitForMore,
} from './candidates.ts'

export interface BuildTerms {
  readonly candidates: CandidateSource
  readonly budgetMs: number
  /** Aborts when the block is no longer wanted. */
  readonly signal: AbortSignal
  /** Interrupted when the budget ends; a computing thread notices nothing else. */
  readonly cancel: Int32Array
  /** The wait does not use up the budget. */
  readonly waitForMore: WaitForMore | undefined
}

interface Build {
  readonly candidates: CandidateSource
  readonly waitForMore: WaitForMore | undefined
  readonly nextNonces: Map<Address, bigint>
  readonly signal: AbortSignal
  readonly startTimer: (ms: number) => Timer
  deadlineAtMs: number
  timer: Timer
  hasSelected: boolean
  offered: number
}

/** Made once, because a reason with a stack costs as much as a short transaction. */
const OVER = new Error('The selection is over.')

export class BuildsUnderWay {
  readonly #clock: Clock
  readonly #log: Log
  readonly #builds = new Map<number, Build>()
  #lastId = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Starts the clock of a build. Dispose of the result when the block is built or abandoned. */
  begin(terms: BuildTerms): Disposable & { readonly id: number } {
    const { candidates, budgetMs, signal, cancel, waitForMore } = terms
    const id = ++this.#lastId
    const selection = new AbortController()
    const end = (): void => selection.abort(OVER)
    const onTimeUp = (): void => {
      Atomics.or(cancel, 0, INTERRUPT)
      end()
    }
    const startTimer = (ms: number): Timer => this.#clock.after(ms, onTimeUp, { unref: true })
    const timer = startTimer(budgetMs)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    const deadlineAtMs = this.#clock.monotonicMs() + budgetMs
    const build: Build = {
      candidates,
      waitForMore,
      nextNonces: new Map(),
      signal: selection.signal,
      startTimer,
      deadlineAtMs,
      timer,
      hasSelected: false,
      offered: 0,
    }
    this.#builds.set(id, build)
    return {
      id,
      [Symbol.dispose]: () => {
        this.#builds.delete(id)
        build.timer.cancel()
        signal.removeEventListener('abort', end)
        end()
      },
    }
  }

  /**
   * Yields candidates to the writer, none after the deadline. The second call for a build waits for more of them. After a
   * failure the block keeps the candidates yielded before.
   */
  async *candidates(id: number, terms: SelectionTerms): AsyncGenerator<Transferring<Uint8Array>> {
    const build = this.#builds.get(id)
    if (build === undefined) return
    try {
      if (build.hasSelected && !(await this.#waitForMore(build))) return
      build.hasSelected = true
      const { candidates, waitForMore, nextNonces, deadlineAtMs, signal } = build
      const order: SelectionOrder = {
        ...terms,
        deadlineAtMs,
        signal,
        ...(waitForMore === undefined ? {} : { nextNonces }),
      }
      for await (const slice of sliceCandidates(candidates, order)) {
        build.offered += slice.length
        const encoded = encodeCandidates(slice)
        yield new Transferring(encoded, [encoded.buffer])
      }
    } catch (err) {
      this.#log.error(CHAIN_PROBLEMS.selectionFailed, { err })
    }
  }

  async #waitForMore(build: Build): Promise<boolean> {
    const { waitForMore, signal, startTimer } = build
    if (waitForMore === undefined || signal.aborted) return false
    const leftMs = build.deadlineAtMs - this.#clock.monotonicMs()
    build.timer.cancel()
    const aborted = new Promise<false>((resolve) => {
      signal.addEventListener('abort', () => resolve(false), { once: true })
    })
    const hasMore = await Promise.race([waitForMore(build.offered), aborted])
    if (!hasMore || signal.aborted) return false
    build.deadlineAtMs = this.#clock.monotonicMs() + leftMs
    build.timer = startTimer(Math.max(0, leftMs))
    return true
  }

  /** Reports left-out candidates to the source; a listener that throws does not undo the block. */
  reportLeftOut(source: CandidateSource, candidates: readonly LeftOut[]): void {
    for (const { hash, reason, sentence, runMs } of candidates) {
      if (runMs === undefined) continue
      const fields = { hash, reason, sentence, runMs: Math.round(runMs) }
      // Some transaction is always running when the time of a full block is up; most of these are unremarkable.
      if (reason === 'TX_EVALUATION_TOO_LONG') this.#log.warn(CHAIN_PROBLEMS.transactionTooSlow, fields)
      else this.#log.debug('Skipped transaction', fields)
    }
    try {
      source.leftOut(candidates)
    } catch (err) {
      this.#log.error(CHAIN_PROBLEMS.skippedReportFailed, { err })
    }
  }
}
