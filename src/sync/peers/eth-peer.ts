/**
 * One peer that speaks `eth`: what is known of its chain, what was asked of it, and how well it has answered. An answer counts
 * only for the request whose id it has; whoever answers late, nothing or falsehoods loses score, and at last the connection.
 */

import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { PeerLink } from '#p2p/peers/protocol.ts'
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { ethFault } from '#sync/faults.ts'
import { answerId } from '#sync/wire/block-requests.ts'
import { ETH, type EthVersion } from '#sync/wire/eth-codes.ts'
import type { Hash } from '#types/hash.ts'
import { KnownHashes } from './known-hashes.ts'
import { PeerScore } from './peer-score.ts'

const REQUEST_MS = 10_000
/** Ids that were given up, so that a late answer is not taken for an unasked one. */
const LATE_IDS = 64
/** As many as a peer is told of between two blocks that are full. */
const KNOWN_TRANSACTIONS = 32_768
const KNOWN_BLOCKS = 1_024

interface Waiting {
  readonly code: number
  readonly settle: (data: Uint8Array) => void
}

export interface PeerHead {
  readonly hash: Hash
  /** undefined: only its hash was told. */
  readonly number: number | undefined
}

/** Twice as many as a session leaves unhandled before it stops reading; a peer that waits for answers has a handful. */
const REQUESTS_MAX = 256

export class EthPeer {
  readonly link: PeerLink
  readonly version: EthVersion
  readonly score: PeerScore
  readonly transactions = new KnownHashes(KNOWN_TRANSACTIONS)
  readonly blocks = new KnownHashes(KNOWN_BLOCKS)
  /** Its unanswered requests. */
  readonly requests = new SerialQueue(REQUESTS_MAX)
  readonly #clock: Clock
  readonly #waiting = new Map<bigint, Waiting>()
  readonly #late = new Set<bigint>()
  readonly #closed = new AbortController()
  #lastId = 0n
  #head: PeerHead | undefined
  #hasStatus = false
  #isDoubted = false

  constructor(link: PeerLink, version: EthVersion, clock: Clock) {
    this.link = link
    this.version = version
    this.#clock = clock
    this.score = new PeerScore(clock)
  }

  get id(): string {
    return this.link.peer.enode.id
  }

  /** It is of our network: it may be asked, and is answered. */
  get isReady(): boolean {
    return this.#hasStatus && !this.isClosed
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted
  }

  get head(): PeerHead | undefined {
    return this.#head
  }

  /** The highest block that it is known to have; -1: none is. */
  get height(): number {
    return this.#head?.number ?? -1
  }

  /** It did not show a block that it claims to have: its claims count again when it shows one. */
  get isDoubted(): boolean {
    return this.#isDoubted
  }

  trust(): void {
    this.#isDoubted = false
  }

  greet(head: PeerHead): void {
    this.#hasStatus = true
    this.#head = head
  }

  /** It has at least this block. */
  reached(hash: Hash, number: number): void {
    this.blocks.add(hash)
    if (number >= this.height) this.#head = { hash, number }
  }

  /** It spoke of the block after this one, and did not say its hash. */
  atLeast(number: number): void {
    if (this.#head !== undefined && number > this.height) this.#head = { ...this.#head, number }
  }

  /** It does not have what it said. */
  setHeight(hash: Hash, number: number): void {
    this.#head = { hash, number }
  }

  /** How many answers it owes. */
  get load(): number {
    return this.#waiting.size
  }

  /**
   * The message that answers. Rejects when it does not come in time or the peer is gone; who asks says what the answer is
   * worth (`score`).
   */
  async request(
    code: number,
    answerCode: number,
    encode: (id: bigint) => Uint8Array,
    timeoutMs = REQUEST_MS,
  ): Promise<Uint8Array> {
    const id = ++this.#lastId
    if (!this.isReady || !this.link.send(code, encode(id), 'bulk'))
      throw new Error('The peer cannot be asked now.')
    using deadline = deadlineSignal(this.#clock, timeoutMs, this.#closed.signal, 'The answer of a peer')
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    deadline.addEventListener('abort', () => reject(deadline.reason), { once: true })
    this.#waiting.set(id, { code: answerCode, settle: resolve })
    try {
      return await promise
    } catch (error) {
      this.#noteLate(id)
      if (code === ETH.getBlockHeaders) this.#isDoubted = true
      if (!this.isClosed) this.#judge(this.score.timedOut(code))
      throw error
    } finally {
      this.#waiting.delete(id)
    }
  }

  /** Throws a fault where nobody asked. */
  onAnswer(code: number, data: Uint8Array): void {
    const id = answerId(`with the code ${code}`, data)
    const waiting = this.#waiting.get(id)
    if (waiting?.code === code) {
      this.#waiting.delete(id)
      waiting.settle(data)
      return
    }
    if (this.#late.delete(id)) return
    throw ethFault(`The peer answered with the code ${code} and the id ${id}, and nobody asked.`)
  }

  useful(): void {
    this.score.useful()
  }

  /** It answered, and the answer is of no use. */
  useless(): void {
    this.#judge(this.score.useless())
  }

  disconnect(reason: DisconnectReason, sentence: string): void {
    this.link.disconnect(reason, sentence)
  }

  close(): void {
    this.#closed.abort(new Error('The peer is gone.'))
  }

  #judge(end: { readonly reason: DisconnectReason; readonly sentence: string } | undefined): void {
    if (end !== undefined) this.disconnect(end.reason, end.sentence)
  }

  #noteLate(id: bigint): void {
    this.#late.add(id)
    if (this.#late.size <= LATE_IDS) return
    for (const oldest of this.#late) {
      this.#late.delete(oldest)
      break
    }
  }
}
