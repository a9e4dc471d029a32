/**
 * Transactions between peers and the pool: what the pool takes is told to those who do not know it. What came from a client of
 * this node goes to peers whole and at once. What came from a peer is gathered and told by hash: on networks whose nodes know
 * each other most have it by then, and whole transactions that cross each other are most of what such a network would do.
 * What peers tell is fetched once, prepared in this thread and handed to the pool.
 */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Intake, IntakeVerdict } from '#pool/intake.ts'
import { ethFault } from '#sync/faults.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import {
  type AnnouncedTransaction,
  type DescribedTransaction,
  describeTransaction,
  encodeNewPooledHashes,
} from '#sync/wire/announcements.ts'
import { decodeAnswer, encodeAskedHashes, pooledBytes, pooledItem } from '#sync/wire/block-requests.ts'
import { ETH, MAX_ANNOUNCED, MAX_POOLED } from '#sync/wire/eth-codes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { MAX_TRANSACTION_BYTES } from '#types/transaction/transaction.ts'
import { SeenTransactions } from './seen-transactions.ts'

/** Of one message Transactions; Besu takes no more. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Of one peer; what it tells of beyond is not fetched from it. */
const MAX_WANTED = 8_192
/** So many peers get everything whole that comes from a client, however few their square root would choose. */
const WHOLE_LEAST = 8
/** What came from peers waits so long for more. */
const GATHER_MS = 50
/** A transaction with blobs, which the pool does not take. */
const BLOB_TYPE = 3

/** One that came to the pool. */
export interface WaitingTransaction {
  readonly hash: Hash
  readonly encoded: Uint8Array
}

export interface TransactionParts {
  readonly clock: Clock
  readonly log: Log
  readonly keccak: Keccak
  readonly intake: Pick<Intake, 'submit'>
  readonly peers: () => readonly EthPeer[]
  /** False: blocks are missing here, so that nothing can be said about transactions. */
  readonly isInStep: () => boolean
}

export class CarryTransactions {
  readonly #parts: TransactionParts
  readonly #seen: SeenTransactions
  /** Hashes that peers told of and that are still to be fetched. */
  readonly #wanted = new Map<EthPeer, Hash[]>()
  #gathered: WaitingTransaction[] = []
  #gathering: Timer | undefined

  constructor(parts: TransactionParts) {
    this.#parts = parts
    this.#seen = new SeenTransactions(parts.clock)
  }

  /** The pool may take what it refused before. */
  headMoved(): void {
    this.#seen.headMoved()
  }

  /** The pool took these. */
  announce(transactions: readonly WaitingTransaction[]): void {
    // What a peer brought was seen when it came.
    const own = transactions.filter(({ hash }) => this.#seen.add(hash))
    if (own.length > 0) this.#announceOwn(own)
    if (own.length < transactions.length) {
      const isOwn = new Set(own)
      this.#gathered.push(...transactions.filter((each) => !isOwn.has(each)))
      this.#gathering ??= this.#parts.clock.after(GATHER_MS, () => this.#passOn(), { unref: true })
    }
  }

  /** Those with the best score get them whole; the others ask for what they lack. */
  #announceOwn(transactions: readonly WaitingTransaction[]): void {
    const peers = this.#parts.peers()
    const whole = Math.max(WHOLE_LEAST, Math.round(Math.sqrt(peers.length)))
    const sorted = peers.toSorted((a, b) => b.score.points - a.score.points)
    for (const [index, peer] of sorted.entries()) {
      const unknown = unknownTo(peer, transactions)
      if (index < whole) sendWhole(peer, unknown)
      else sendHashes(peer, unknown.map(describeTransaction))
    }
  }

  #passOn(): void {
    const gathered = this.#gathered
    this.#gathered = []
    this.#gathering = undefined
    for (const peer of this.#parts.peers())
      sendHashes(peer, unknownTo(peer, gathered).map(describeTransaction))
  }

  /** To one that has just come. */
  announceAll(peer: EthPeer, waiting: readonly DescribedTransaction[]): void {
    sendHashes(peer, unknownTo(peer, waiting))
  }

  async onTransactions(peer: EthPeer, transactions: readonly Uint8Array[]): Promise<void> {
    const hashes = transactions.map((bytes) => hashFromBytes(this.#parts.keccak(bytes)))
    for (const hash of hashes) peer.transactions.add(hash)
    if (this.#parts.isInStep()) await this.#submit(peer, transactions, hashes)
  }

  /** Fetched one after another: its answers come over the connection that brought the news, which must be read on. */
  onPooledHashes(peer: EthPeer, announced: readonly AnnouncedTransaction[]): void {
    for (const { hash } of announced) peer.transactions.add(hash)
    if (!this.#parts.isInStep()) return
    const isTakeable = ({ type, size = 0 }: AnnouncedTransaction): boolean =>
      type !== BLOB_TYPE && size <= MAX_TRANSACTION_BYTES
    const wanted = announced.filter((each) => isTakeable(each) && !this.#seen.has(each.hash))
    const queue = this.#wanted.get(peer)
    if (queue !== undefined) {
      queue.push(...wanted.slice(0, MAX_WANTED - queue.length).map(({ hash }) => hash))
      return
    }
    const started = wanted.map(({ hash }) => hash)
    this.#wanted.set(peer, started)
    this.#fetchAll(peer, started)
      .catch((error: unknown) => {
        const sentence = error instanceof Fault ? error.data.sentence : String(error)
        peer.disconnect('breachOfProtocol', sentence)
      })
      .finally(() => this.#wanted.delete(peer))
  }

  async #fetchAll(peer: EthPeer, queue: Hash[]): Promise<void> {
    while (queue.length > 0) {
      const hashes = queue.splice(0, MAX_POOLED).filter((hash) => !this.#seen.has(hash))
      if (hashes.length > 0 && !(await this.#fetch(peer, hashes))) return
    }
  }

  /** False: the peer does not answer. */
  async #fetch(peer: EthPeer, hashes: readonly Hash[]): Promise<boolean> {
    let data: Uint8Array
    try {
      data = await peer.request(ETH.getPooledTransactions, ETH.pooledTransactions, (id) =>
        encodeAskedHashes({ id, what: hashes }),
      )
    } catch (error) {
      this.#parts.log.debug('A peer did not show what it told of.', { id: peer.id, err: error })
      return false
    }
    const transactions = decodeAnswer('PooledTransactions', data, MAX_POOLED).what.map(pooledBytes)
    const found = transactions.map((bytes) => hashFromBytes(this.#parts.keccak(bytes)))
    const asked = new Set(hashes)
    if (found.some((hash) => !asked.has(hash))) {
      throw ethFault('The peer sent a transaction that nobody asked for.')
    }
    if (transactions.length > 0) peer.useful()
    await this.#submit(peer, transactions, found)
    return true
  }

  async #submit(peer: EthPeer, transactions: readonly Uint8Array[], hashes: readonly Hash[]): Promise<void> {
    const verdicts = transactions.map((bytes, index) => this.#submitOne(bytes, hashes[index]!))
    try {
      await Promise.all(verdicts)
    } catch (error) {
      if (error instanceof Fault && error.kind === 'INVALID_ETH_MESSAGE') throw error
      this.#parts.log.warn('Transactions of a peer could not be handed to the pool.', {
        id: peer.id,
        err: error,
      })
    }
  }

  async #submitOne(bytes: Uint8Array, hash: Hash): Promise<void> {
    if (this.#seen.has(hash)) return
    this.#seen.add(hash)
    let verdict: IntakeVerdict
    try {
      verdict = await this.#parts.intake.submit(bytes)
    } catch (error) {
      this.#seen.forget(hash)
      throw error
    }
    if (verdict.ok || verdict.reason === 'TRANSACTION_ALREADY_KNOWN') return
    this.#seen.refuse(hash)
    if (verdict.reason === 'UNDECODABLE')
      throw ethFault(`A transaction of the peer is none. ${verdict.sentence}`)
  }
}

function unknownTo<Each extends { readonly hash: Hash }>(
  { transactions: known }: EthPeer,
  transactions: readonly Each[],
): readonly Each[] {
  return transactions.filter(({ hash }) => !known.has(hash))
}

function sendWhole(peer: EthPeer, transactions: readonly WaitingTransaction[]): void {
  let items: Uint8Array[] = []
  let bytes = 0
  const flush = (): void => {
    if (items.length > 0) peer.link.send(ETH.transactions, encodeRlpList(items), 'bulk')
    items = []
    bytes = 0
  }
  for (const { hash, encoded } of transactions) {
    if (bytes + encoded.length > MAX_MESSAGE_BYTES) flush()
    items.push(pooledItem(encoded))
    bytes += encoded.length
    peer.transactions.add(hash)
  }
  flush()
}

function sendHashes(peer: EthPeer, transactions: readonly DescribedTransaction[]): void {
  for (let from = 0; from < transactions.length; from += MAX_ANNOUNCED) {
    const part = transactions.slice(from, from + MAX_ANNOUNCED)
    for (const { hash } of part) peer.transactions.add(hash)
    peer.link.send(ETH.newPooledTransactionHashes, encodeNewPooledHashes(peer.version, part), 'bulk')
  }
}
