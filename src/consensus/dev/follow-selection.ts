/** Candidates as they are, counted, so that it is known whether another block has something to hold. */
import {
  type Candidate,
  type CandidateSource,
  type LeftOut,
  type SelectionOrder,
  selectEach,
} from '#chain/build/candidates.ts'

/** They may fit into the next block. */
const FOR_ANOTHER_BLOCK: ReadonlySet<LeftOut['reason']> = new Set([
  'BLOCK_SELECTION_TIMEOUT',
  'TOO_LARGE_FOR_REMAINING_BLOCK_SIZE',
  'TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS',
  'TX_TOO_LARGE_FOR_REMAINING_GAS',
])

export class FollowedSelection implements CandidateSource {
  readonly #source: CandidateSource
  #offered = 0
  #isExhausted = false
  #leftOut = 0
  #hasOthers = false

  constructor(source: CandidateSource) {
    this.#source = source
  }

  /** After a block of so many transactions was built. A slice is asked for whole, and the block may be full before its end. */
  hasMoreThan(transactions: number): boolean {
    return !this.#isExhausted || this.#hasOthers || this.#offered > transactions + this.#leftOut
  }

  async *select(order: SelectionOrder): AsyncGenerator<Candidate> {
    for await (const candidate of selectEach(this.#source, order)) {
      this.#offered++
      yield candidate
    }
    this.#isExhausted = true
  }

  leftOut(candidates: readonly LeftOut[]): void {
    this.#leftOut = candidates.length
    this.#hasOthers = candidates.some(({ reason }) => FOR_ANOTHER_BLOCK.has(reason))
    this.#source.leftOut(candidates)
  }
}
