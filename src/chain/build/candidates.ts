/**
 * Transactions that may go into a block which is being built: what they are chosen by, and how they come from whoever
 * has them (the pool, on another thread) to the one that executes them, slice by slice and no more than it takes.
 */
import { nextTurn } from '#platform/next-turn.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'

export interface Candidate {
  /** As it stands in a block. */
  readonly encoded: Uint8Array
  /** Believed: nobody recovers it again, and it need not have signed. */
  readonly sender: Address
}

/** The block that candidates are for. */
export interface SelectionTerms {
  readonly parent: Hash
  readonly number: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly gasLimit: bigint
  /** undefined before London. */
  readonly baseFeePerGas: bigint | undefined
}

export interface SelectionOrder extends SelectionTerms {
  /** On the monotonic clock: what comes later is not in the block. */
  readonly deadlineAtMs: number
  /** Aborts at the deadline, or before when no more candidates are wanted. */
  readonly signal: AbortSignal
}

/**
 * Of what was running when the time was up. `BLOCK_SELECTION_TIMEOUT`: in an emptier block it may be executed.
 * `TX_EVALUATION_TOO_LONG`: it had almost all the time that there is for a block, so that it keeps every block empty in
 * which it comes first.
 */
export type LeftOutReason =
  | RefusalReason
  | 'BLOCK_SELECTION_TIMEOUT'
  | 'TX_EVALUATION_TOO_LONG'
  /** The block has too few bytes left for it. Besu uses the same name. */
  | 'TOO_LARGE_FOR_REMAINING_BLOCK_SIZE'

/** A candidate that could not be in the block. */
export interface LeftOut {
  readonly hash: Hash
  readonly reason: LeftOutReason
  readonly sentence: string
  /** How long it had run; only of what was running when the time was up. */
  readonly runMs?: number
}

/** At hand, or not known yet. A promise for each of thousands would cost more than the choice. */
export type OfferedCandidate = Candidate | Promise<Candidate | undefined>

/** Who has candidates. */
export interface CandidateSource {
  /**
   * In the order of preference. It stops being asked when the block is full, its time is up or it is not wanted. Who has to
   * wait for a verdict gives a promise, of undefined where there is no candidate after all, and is asked for the next one
   * when it is there.
   */
  select(order: SelectionOrder): AsyncIterable<Candidate> | Iterable<OfferedCandidate>
  /** Told once the block is built. Candidates that nobody asked for are not in it. */
  leftOut(candidates: readonly LeftOut[]): void
}

/** Candidates as the builder takes them. */
export type CandidateSlices = (terms: SelectionTerms) => AsyncIterable<readonly Candidate[]>

/** What one slice holds at most. */
const MAX_SLICE_CANDIDATES = 512
const MAX_SLICE_BYTES = 1024 * 1024

/** Of those that come before the signal aborts. A slice is whole when it is full, or when the next makes us wait. */
export async function* sliceCandidates(
  source: Pick<CandidateSource, 'select'>,
  order: SelectionOrder,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  const { signal } = order
  const candidates = source.select(order)
  const iterator =
    Symbol.asyncIterator in candidates ? candidates[Symbol.asyncIterator]() : candidates[Symbol.iterator]()
  const aborted = new Promise<'aborted'>((resolve) => {
    signal.addEventListener('abort', () => resolve('aborted'), { once: true })
  })
  const slice = new Slice()
  try {
    while (!signal.aborted) {
      const next = takeNext(iterator)
      let taken = next instanceof Promise ? await Promise.race([next, aborted, slice.turn]) : next
      if (taken === 'waits') {
        if (slice.size > 0) yield slice.take()
        taken = await Promise.race([next, aborted])
        slice.begin()
      }
      if (taken === 'aborted' || taken.done) break
      if (taken.value !== undefined) slice.add(taken.value)
      if (slice.isFull) yield slice.take()
    }
    if (slice.size > 0 && !signal.aborted) yield slice.take()
  } finally {
    // Not waited for: whoever is slow to give a candidate is slow to end, too.
    Promise.try(() => iterator.return?.()).catch(() => undefined)
  }
}

/** One after the other, each when it is known. */
export async function* selectEach(
  source: Pick<CandidateSource, 'select'>,
  order: SelectionOrder,
): AsyncGenerator<Candidate, void, undefined> {
  for await (const candidate of source.select(order)) if (candidate !== undefined) yield candidate
}

type Taken = IteratorResult<Candidate | undefined, void>

function takeNext(iterator: AsyncIterator<Candidate> | Iterator<OfferedCandidate>): Taken | Promise<Taken> {
  const next = iterator.next()
  if (next instanceof Promise || next.done) return next
  const { value } = next
  return value instanceof Promise
    ? value.then((settled) => ({ done: false, value: settled }))
    : { done: false, value }
}

/** One slice, for whoever builds no block of it. */
export async function firstSlice(
  source: Pick<CandidateSource, 'select'>,
  terms: SelectionTerms,
): Promise<readonly Candidate[]> {
  const ended = new AbortController()
  const order = { ...terms, deadlineAtMs: Number.POSITIVE_INFINITY, signal: ended.signal }
  for await (const slice of sliceCandidates(source, order)) return slice
  return []
}

class Slice {
  /** The event loop went round since the slice was begun. */
  turn = waits()
  #candidates: Candidate[] = []
  #bytes = 0

  get size(): number {
    return this.#candidates.length
  }

  get isFull(): boolean {
    return this.size >= MAX_SLICE_CANDIDATES || this.#bytes >= MAX_SLICE_BYTES
  }

  add(candidate: Candidate): void {
    this.#candidates.push(candidate)
    this.#bytes += candidate.encoded.length
  }

  take(): readonly Candidate[] {
    const taken = this.#candidates
    this.#candidates = []
    this.#bytes = 0
    this.begin()
    return taken
  }

  begin(): void {
    this.turn = waits()
  }
}

async function waits(): Promise<'waits'> {
  await nextTurn()
  return 'waits'
}

const LENGTH_BYTES = 4
const SENDER_BYTES = 20

/** A slice in one piece: bytes that are a part of something larger would take it along to the other thread. */
export function encodeCandidates(candidates: readonly Candidate[]): Uint8Array<ArrayBuffer> {
  const header = SENDER_BYTES + LENGTH_BYTES
  const total = candidates.reduce((sum, { encoded }) => sum + header + encoded.length, 0)
  const out = new Uint8Array(total)
  const view = new DataView(out.buffer)
  let at = 0
  for (const { encoded, sender } of candidates) {
    out.set(addressToBytes(sender), at)
    view.setUint32(at + SENDER_BYTES, encoded.length)
    out.set(encoded, at + header)
    at += header + encoded.length
  }
  return out
}

export function decodeCandidates(bytes: Uint8Array): Candidate[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const candidates: Candidate[] = []
  for (let at = 0; at < bytes.length; ) {
    const sender = addressFromBytes(bytes.subarray(at, at + SENDER_BYTES))
    const from = at + SENDER_BYTES + LENGTH_BYTES
    const end = from + view.getUint32(at + SENDER_BYTES)
    assert(end <= bytes.length, 'A slice of candidates is as long as it says.')
    candidates.push({ encoded: bytes.subarray(from, end), sender })
    at = end
  }
  return candidates
}
