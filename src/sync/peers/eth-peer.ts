/**
 * A peer that speaks `eth`: its head, its open requests and its score. An answer counts only for the request with its id. A
 * peer that answers late, with nothing or with falsehoods loses score and finally the connection.
 */

import type { DisconnectReason } from '#p2p/disconnect.ts'
import type { PeerLink } from '#p2p/peers/protocol.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { ethFault } from '#sync/faults.ts'
import { answerId } from '#sync/wire/block-requests.ts'
import { ETH, type EthVersion } from '#sync/wire/eth-codes.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import type { Hash } from '#types/hash.ts'
import { parseDataLenient } from '#types/hex.ts'
import { KnownHashes } from './known-hashes.ts'
import { PeerScore } from './peer-score.ts'

const REQUEST_MS = 10_000
/** Maximum remembered ids of timed-out requests, so a late answer is not treated as unsolicited. */
const LATE_IDS = 64
/** Maximum transactions announced to a peer between two full blocks. */
const KNOWN_TRANSACTIONS = 32_768
const KNOWN_BLOCKS = 1_024
/** Two keys for each of the last 32 blocks; a peer that waits longer than that syncs. */
const ANNOUNCED_KEYS = 64

interface Waiting {
  readonly code: number
  readonly settle: (data: Uint8Array) => void
}

export interface PeerHead {
  readonly hash: Hash
  /** Undefined if only the hash is known. */
  readonly number: number | undefined
}

/** Twice the number of messages a session leaves unhandled before it stops reading; an honest peer has a handful. */
const REQUESTS_MAX = 256

export class EthPeer {
  readonly link: PeerLink
  readonly version: EthVersion
  readonly score: PeerScore
  readonly transactions = new KnownHashes(KNOWN_TRANSACTIONS)
  readonly blocks = new KnownHashes(KNOWN_BLOCKS)
  /** The peer's unanswered requests. */
  readonly requests = new SerialQueue(REQUESTS_MAX)
  /** Blocks of which the peer got only the hash, by hash and by number. */
  readonly #announced = new BoundedMap<Hash | number, true>(ANNOUNCED_KEYS)
  readonly #clock: Clock
  readonly #waiting = new Map<bigint, Waiting>()
  readonly #late = new Set<bigint>()
  readonly #closed = new AbortController()
  #lastId = 0n
  #head: PeerHead | undefined
  #earliest = 0
  #hasStatus = false
  #isDoubted = false
  #needsBlocks = false
  #address: Address | undefined

  constructor(link: PeerLink, version: EthVersion, clock: Clock) {
    this.link = link
    this.version = version
    this.#clock = clock
    this.score = new PeerScore(clock)
  }

  get id(): string {
    return this.link.peer.enode.id
  }

  /** The address of its key, by which consensus knows a validator. */
  get address(): Address {
    this.#address ??= addressFromPublicKey(parseDataLenient(this.id))
    return this.#address
  }

  /** Whether the peer requested a block whose hash this node announced, since no other peer had sent it the block. */
  get needsBlocks(): boolean {
    return this.#needsBlocks
  }

  /** The peer knows the block from now on, and is expected to get it from another peer. */
  noteAnnounced(hash: Hash, number: number): void {
    this.blocks.add(hash)
    this.#announced.set(hash, true)
    this.#announced.set(number, true)
  }

  noteRequested(block: Hash | number): void {
    if (this.#announced.has(block)) this.#needsBlocks = true
  }

  /** Whether the peer is on our network, so it may be asked and is answered. */
  get isReady(): boolean {
    return this.#hasStatus && !this.isClosed
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted
  }

  get head(): PeerHead | undefined {
    return this.#head
  }

  /** The peer's highest known block, or -1. */
  get height(): number {
    return this.#head?.number ?? -1
  }

  /** The first block that the peer has with its body. It may send headers of earlier ones. */
  get earliest(): number {
    return this.#earliest
  }

  /** Whether the peer claims to have the block with its body. */
  claims(number: number): boolean {
    return this.#earliest <= number && number <= this.height
  }

  /** Whether the peer failed to show a block it claims to have. Its claims count again once it shows one. */
  get isDoubted(): boolean {
    return this.#isDoubted
  }

  trust(): void {
    this.#isDoubted = false
  }

  greet(head: PeerHead, earliest: number): void {
    this.#hasStatus = true
    this.#head = head
    this.#earliest = earliest
  }

  /** The peer has removed blocks below this one, or has fetched earlier ones. */
  startsAt(earliest: number): void {
    this.#earliest = earliest
  }

  /** The peer has at least this block. */
  reached(hash: Hash, number: number): void {
    this.blocks.add(hash)
    if (number >= this.height) this.#head = { hash, number }
  }

  /** The peer referred to a later block without naming its hash. */
  atLeast(number: number): void {
    if (this.#head !== undefined && number > this.height) this.#head = { ...this.#head, number }
  }

  /** Corrects a head that the peer turned out not to have. */
  setHeight(hash: Hash, number: number): void {
    this.#head = { hash, number }
  }

  /** Number of unanswered requests to the peer. */
  get load(): number {
    return this.#waiting.size
  }

  /** Returns the answer. Rejects if it is late or the peer disconnects. The caller rates the answer (`score`). */
  async request(
    code: number,
    answerCode: number,
    encode: (id: bigint) => Uint8Array,
    timeoutMs = REQUEST_MS,
  ): Promise<Uint8Array> {
    const id = ++this.#lastId
    if (!this.isReady || !this.link.send(code, encode(id), 'bulk'))
      throw new Error('The peer accepts no request now.')
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

  /** Throws a fault if the answer is unsolicited. */
  onAnswer(code: number, data: Uint8Array): void {
    const id = answerId(`with the code ${code}`, data)
    const waiting = this.#waiting.get(id)
    if (waiting?.code === code) {
      this.#waiting.delete(id)
      waiting.settle(data)
      return
    }
    if (this.#late.delete(id)) return
    throw ethFault(`The peer sent an unrequested answer with code ${code} and id ${id}.`)
  }

  useful(): void {
    this.score.useful()
  }

  /** The answer was useless. */
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
