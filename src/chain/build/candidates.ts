/**
 * Candidate transactions for a block under construction: the criteria for selecting them, and their way from the
 * pool, on another thread, to the builder, in slices and on demand.
 */
import { nextTurn } from '#platform/next-turn.ts'
import { ADDRESS_BYTES, type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'

export interface Candidate {
  /** The transaction in its block encoding. */
  readonly encoded: Uint8Array
  /** Trusted: the sender is not recovered again, and a signature is not required. */
  readonly sender: Address
}

export interface SelectionTerms {
  readonly parent: Hash
  readonly number: bigint
  readonly timestamp: bigint
  readonly gasLimit: bigint
  readonly baseFeePerGas: bigint | undefined
}

export interface SelectionOrder extends SelectionTerms {
  /** Deadline on the monotonic clock; later candidates miss the block. */
  readonly deadlineAtMs: number
  /** Aborts at the deadline, or earlier if no more candidates are wanted. */
  readonly signal: AbortSignal
  /**
   * Nonce of each sender after the candidates that were offered for this block. The source begins there and updates it,
   * so a second selection offers only new arrivals. If undefined, there is one selection.
   */
  readonly nextNonces?: Map<Address, bigint>
}

/**
 * Called when the builder has executed all candidates of the first selection, with their number. Resolves with true
 * when it may request the new arrivals, with false if the block should be completed without them.
 */
export type WaitForMore = (executed: number) => Promise<boolean>

/**
 * Includes two reasons for the transaction that was running when the time was up. After `BLOCK_SELECTION_TIMEOUT` it
 * may fit into an emptier block. `TX_EVALUATION_TOO_LONG` means that it had almost the complete time of a block, so
 * every block that begins with it stays empty.
 */
export type LeftOutReason =
  | RefusalReason
  | 'BLOCK_SELECTION_TIMEOUT'
  | 'TX_EVALUATION_TOO_LONG'
  /** The block has too few bytes left for it. Besu uses the same name. */
  | 'TOO_LARGE_FOR_REMAINING_BLOCK_SIZE'

export interface LeftOut {
  readonly hash: Hash
  readonly reason: LeftOutReason
  readonly sentence: string
  /** How long it ran; set only for the transaction that was running when the time was up. */
  readonly runMs?: number
}

/**
 * A candidate, or a promise if it is not known yet. A promise for each of thousands would cost more than the
 * selection.
 */
export type OfferedCandidate = Candidate | Promise<Candidate | undefined>

export interface CandidateSource {
  /**
   * Yields candidates in order of preference. The builder stops asking when the block is full, its time is up or it
   * is abandoned. A source that waits for a verdict yields a promise, which resolves to undefined if the candidate is
   * rejected; the next candidate is requested after it settles.
   */
  select(order: SelectionOrder): AsyncIterable<Candidate> | Iterable<OfferedCandidate>
  /** Called once the block is built. Candidates that were never requested are not included. */
  leftOut(candidates: readonly LeftOut[]): void
}

export type CandidateSlices = (terms: SelectionTerms) => AsyncIterable<readonly Candidate[]>

const MAX_SLICE_CANDIDATES = 512
const MAX_SLICE_BYTES = 1024 * 1024

/**
 * Yields the candidates that arrive before the signal aborts. A slice ends when it is full, or when the next
 * candidate is pending.
 */
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
    // Not awaited, because a source that is slow to yield is slow to end, too.
    Promise.try(() => iterator.return?.()).catch(() => undefined)
  }
}

/** Yields candidates one by one, each when it is known. */
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

/** Returns the first slice, for callers that build no block. */
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
  /** Resolves once the event loop has turned since the slice began. */
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

/** Copies a slice into a buffer of its own: transferring views into a larger buffer would transfer that buffer. */
export function encodeCandidates(candidates: readonly Candidate[]): Uint8Array<ArrayBuffer> {
  const header = ADDRESS_BYTES + LENGTH_BYTES
  const total = candidates.reduce((sum, { encoded }) => sum + header + encoded.length, 0)
  const out = new Uint8Array(total)
  const view = new DataView(out.buffer)
  let at = 0
  for (const { encoded, sender } of candidates) {
    out.set(addressToBytes(sender), at)
    view.setUint32(at + ADDRESS_BYTES, encoded.length)
    out.set(encoded, at + header)
    at += header + encoded.length
  }
  return out
}

export function decodeCandidates(bytes: Uint8Array): Candidate[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const candidates: Candidate[] = []
  for (let at = 0; at < bytes.length; ) {
    const sender = addressFromBytes(bytes.subarray(at, at + ADDRESS_BYTES))
    const from = at + ADDRESS_BYTES + LENGTH_BYTES
    const end = from + view.getUint32(at + ADDRESS_BYTES)
    assert(end <= bytes.length, 'A slice of candidates is as long as it says.')
    candidates.push({ encoded: bytes.subarray(from, end), sender })
    at = end
  }
  return candidates
}
