/** Blocks that the writer is building: where their candidates come from, and their deadlines. */

import { CHAIN_PROBLEMS } from '#chain/log-problems.ts'
import { INTERRUPT } from '#evm/engine.ts'
import { Transferring } from '#platform/channel/channel-protocol.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import {
  type CandidateSource,
  encodeCandidates,
  type LeftOut,
  type SelectionOrder,
  type SelectionTerms,
  sliceCandidates,
} from './candidates.ts'

export interface BuildTerms {
  readonly candidates: CandidateSource
  readonly budgetMs: number
  /** Aborts when the block is no longer wanted. */
  readonly signal: AbortSignal
  /** Interrupted when the budget ends; a computing thread notices nothing else. */
  readonly cancel: Int32Array
}

interface Build {
  readonly candidates: CandidateSource
  readonly deadlineAtMs: number
  readonly signal: AbortSignal
}

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
  begin({ candidates, budgetMs, signal, cancel }: BuildTerms): Disposable & { readonly id: number } {
    const id = ++this.#lastId
    const selection = new AbortController()
    const end = (): void => selection.abort()
    const onTimeUp = (): void => {
      Atomics.or(cancel, 0, INTERRUPT)
      end()
    }
    const timer = this.#clock.after(budgetMs, onTimeUp, { unref: true })
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    const deadlineAtMs = this.#clock.monotonicMs() + budgetMs
    this.#builds.set(id, { candidates, deadlineAtMs, signal: selection.signal })
    return {
      id,
      [Symbol.dispose]: () => {
        this.#builds.delete(id)
        timer.cancel()
        signal.removeEventListener('abort', end)
        end()
      },
    }
  }

  /**
   * Yields candidates to the writer, none after the deadline. After a failure the block keeps the candidates yielded
   * before.
   */
  async *candidates(id: number, terms: SelectionTerms): AsyncGenerator<Transferring<Uint8Array>> {
    const build = this.#builds.get(id)
    if (build === undefined) return
    const order: SelectionOrder = { ...terms, deadlineAtMs: build.deadlineAtMs, signal: build.signal }
    try {
      for await (const slice of sliceCandidates(build.candidates, order)) {
        const encoded = encodeCandidates(slice)
        yield new Transferring(encoded, [encoded.buffer])
      }
    } catch (err) {
      this.#log.error(CHAIN_PROBLEMS.selectionFailed, { err })
    }
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
