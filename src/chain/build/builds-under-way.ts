/** Blocks that the writer was asked to build and is not done with: where their candidates come from, and until when. */
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
  /** Aborts when the block is not wanted any more. */
  readonly signal: AbortSignal
  /** Interrupted when the budget ends: a thread that computes hears nothing else. */
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

  /** Its time runs from now on; disposed of when the block is there, or will not be. */
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

  /** Asked by the writer; none where it asks too late. A block is made of those that came before a failure. */
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
      this.#log.error('Choosing transactions failed; the block is made without further ones.', { err })
    }
  }

  /** News: whoever fails to hear them does not undo the block. */
  tellLeftOut(source: CandidateSource, candidates: readonly LeftOut[]): void {
    for (const { hash, reason, sentence, runMs } of candidates) {
      if (runMs === undefined) continue
      // Some transaction always runs when the time of a full block is up; most are none to speak of.
      const level = reason === 'TX_EVALUATION_TOO_LONG' ? 'warn' : 'debug'
      this.#log[level](sentence, { hash, reason, runMs: Math.round(runMs) })
    }
    try {
      source.leftOut(candidates)
    } catch (err) {
      this.#log.error('What was left out of a block could not be told.', { err })
    }
  }
}
