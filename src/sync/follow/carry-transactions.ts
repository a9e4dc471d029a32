/**
 * Carries transactions between peers and the pool. Clients' transactions are sent to peers complete. Transactions with
 * blobs and peers' transactions are announced by hash (relay-hashes.ts). Announced transactions are fetched once, prepared in this thread and submitted
 * to the pool.
 */
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Intake, IntakeVerdict } from '#pool/intake.ts'
import type { SubmittedTransaction } from '#pool/submitted-transaction.ts'
import { ethFault } from '#sync/faults.ts'
import { SYNC_PROBLEMS } from '#sync/log-problems.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import {
  type AnnouncedTransaction,
  type DescribedTransaction,
  describeTransaction,
  encodeNewPooledHashes,
} from '#sync/wire/announcements.ts'
import { decodeAnswer, encodeAskedHashes, pooledBytes, pooledItem } from '#sync/wire/block-requests.ts'
import { ETH, MAX_ANNOUNCED, MAX_POOLED, OWN_ANSWER_MAX_BYTES } from '#sync/wire/eth-codes.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { pooledHash } from '#types/transaction/blob-sidecar.ts'
import { BLOB_TYPE, MAX_TRANSACTION_BYTES } from '#types/transaction/transaction.ts'
import { RelayHashes } from './relay-hashes.ts'
import { SeenTransactions } from './seen-transactions.ts'

/** Maximum bytes of one Transactions message; Besu accepts no more. */
const MAX_MESSAGE_BYTES = 1024 * 1024
/** Maximum announced hashes waiting per peer; more are not fetched from it. */
const MAX_WANTED = 8_192
/** Minimum number of peers that get complete transactions, if the square root of the peer count is lower. */
const WHOLE_LEAST = 8

/** A transaction that entered the pool. */
export interface WaitingTransaction extends Pick<SubmittedTransaction, 'hash' | 'encoded'> {
  /** Bytes in exchange encoding; undefined if it is the encoding of blocks. */
  readonly exchangeBytes?: number | undefined
}

export interface TransactionParts {
  readonly clock: Clock
  readonly log: Log
  readonly keccak: Keccak
  readonly intake: Pick<Intake, 'submit'>
  readonly peers: () => readonly EthPeer[]
  /** Whether this node can verify blobs. */
  readonly takesBlobs: boolean
  /** False if blocks are missing here, so transactions cannot be judged. */
  readonly isInSync: () => boolean
}

export class CarryTransactions {
  readonly #parts: TransactionParts
  readonly #seen: SeenTransactions
  /** Announced hashes that are still to be fetched. */
  readonly #wanted = new Map<EthPeer, AnnouncedTransaction[]>()
  readonly #relay: RelayHashes

  constructor(parts: TransactionParts) {
    this.#parts = parts
    this.#seen = new SeenTransactions(parts.clock)
    this.#relay = new RelayHashes({ clock: parts.clock, peers: parts.peers, announce: sendHashes })
  }

  /** The pool may accept transactions that it refused before. */
  headMoved(): void {
    this.#seen.headMoved()
  }

  /** Announces transactions that entered the pool, but for those that this object submitted. */
  announce(transactions: readonly WaitingTransaction[]): void {
    const own: WaitingTransaction[] = []
    const known: WaitingTransaction[] = []
    for (const each of transactions) (this.#seen.add(each.hash) ? own : known).push(each)
    if (known.length > 0) this.#relay.add(known.map(describeTransaction))
    if (own.length > 0) this.#announceOwn(own)
  }

  onRequested(peer: EthPeer, hashes: readonly Hash[]): void {
    this.#relay.onRequested(peer, hashes)
  }

  /** Peers with the best score get complete transactions; the others get hashes, and all get the hashes of blobs. */
  #announceOwn(all: readonly WaitingTransaction[]): void {
    const peers = this.#parts.peers()
    const withBlobs = all.filter(hasBlobs).map(describeTransaction)
    if (withBlobs.length > 0) for (const peer of peers) sendHashes(peer, unknownTo(peer, withBlobs))
    const transactions = all.filter((each) => !hasBlobs(each))
    if (transactions.length === 0) return
    const whole = Math.max(WHOLE_LEAST, Math.round(Math.sqrt(peers.length)))
    const sorted = peers.toSorted((a, b) => b.score.points - a.score.points)
    let forAll: readonly Uint8Array[] | undefined
    for (const [index, peer] of sorted.entries()) {
      const unknown = unknownTo(peer, transactions)
      if (index >= whole) sendHashes(peer, unknown.map(describeTransaction))
      else if (unknown.length < transactions.length) sendWhole(peer, unknown, encodeWhole(unknown))
      else {
        forAll ??= encodeWhole(transactions)
        sendWhole(peer, transactions, forAll)
      }
    }
  }

  /** Announces the pool to a new peer. */
  announceAll(peer: EthPeer, waiting: readonly DescribedTransaction[]): void {
    sendHashes(peer, unknownTo(peer, waiting))
  }

  async onTransactions(peer: EthPeer, transactions: readonly Uint8Array[]): Promise<void> {
    if (transactions.some((bytes) => bytes[0] === BLOB_TYPE)) {
      throw ethFault('The peer sent a transaction with blobs without a request.')
    }
    const hashes = transactions.map((bytes) => hashFromBytes(this.#parts.keccak(bytes)))
    for (const hash of hashes) this.#noteOffer(peer, hash)
    if (this.#parts.isInSync()) await this.#submit(peer, transactions, hashes)
  }

  /** Fetches in the background: the answers use the connection that carried the announcement, so reading must continue. */
  onPooledHashes(peer: EthPeer, announced: readonly AnnouncedTransaction[]): void {
    for (const { hash } of announced) this.#noteOffer(peer, hash)
    if (!this.#parts.isInSync()) return
    const isTakeable = ({ type, size = 0 }: AnnouncedTransaction): boolean =>
      (type !== BLOB_TYPE || this.#parts.takesBlobs) && size <= MAX_TRANSACTION_BYTES
    const wanted = announced.filter((each) => isTakeable(each) && !this.#seen.has(each.hash))
    const queue = this.#wanted.get(peer)
    if (queue !== undefined) {
      queue.push(...wanted.slice(0, MAX_WANTED - queue.length))
      return
    }
    this.#wanted.set(peer, wanted)
    this.#fetchAll(peer, wanted)
      .catch((error: unknown) => {
        const sentence = error instanceof Fault ? error.data.sentence : String(error)
        peer.disconnect('breachOfProtocol', sentence)
      })
      .finally(() => this.#wanted.delete(peer))
  }

  #noteOffer(peer: EthPeer, hash: Hash): void {
    if (peer.transactions.add(hash) && this.#seen.has(hash)) this.#relay.hearsOthers(peer)
  }

  async #fetchAll(peer: EthPeer, queue: AnnouncedTransaction[]): Promise<void> {
    while (queue.length > 0) {
      const wanted = nextRequest(queue).filter(({ hash }) => !this.#seen.has(hash))
      if (wanted.length > 0 && !(await this.#fetch(peer, wanted))) return
    }
  }

  /** Returns false if the peer does not answer. */
  async #fetch(peer: EthPeer, wanted: readonly AnnouncedTransaction[]): Promise<boolean> {
    const what = wanted.map(({ hash }) => hash)
    let data: Uint8Array
    try {
      data = await peer.request(ETH.getPooledTransactions, ETH.pooledTransactions, (id) =>
        encodeAskedHashes({ id, what }),
      )
    } catch (error) {
      this.#parts.log.debug('Peer did not return announced transactions', { id: peer.id, err: error })
      return false
    }
    const transactions = decodeAnswer('PooledTransactions', data, MAX_POOLED).what.map(pooledBytes)
    const found = transactions.map((bytes) => pooledHash(bytes, this.#parts.keccak))
    const asked = new Map(wanted.map((one) => [one.hash, one]))
    for (const [index, hash] of found.entries()) requireAnnounced(asked.get(hash), transactions[index]!)
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
      this.#parts.log.warn(SYNC_PROBLEMS.transactionsNotPassed, {
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
    if (verdict.ok) this.#relay.add([describeTransaction({ hash, encoded: bytes })])
    if (verdict.ok || verdict.reason === 'TRANSACTION_ALREADY_KNOWN') return
    // An honest peer verified the blobs before it announced them. The hash does not cover them, so another peer may send better ones.
    const isMalformed = verdict.reason === 'UNDECODABLE' || verdict.reason === 'INVALID_BLOBS'
    if (isMalformed && bytes[0] === BLOB_TYPE) this.#seen.forget(hash)
    else this.#seen.refuse(hash)
    if (isMalformed) throw ethFault(`The peer sent a malformed transaction. ${verdict.sentence}`)
  }
}

/** Takes the hashes of one request: as many as an answer of the usual size has. */
function nextRequest(queue: AnnouncedTransaction[]): readonly AnnouncedTransaction[] {
  let bytes = 0
  const rest = queue.findIndex(({ size = 0 }, index) => {
    bytes += size
    return index >= MAX_POOLED || (index > 0 && bytes > OWN_ANSWER_MAX_BYTES)
  })
  return queue.splice(0, rest < 0 ? queue.length : rest)
}

/** Clients count the bytes of a transaction differently, by this many at most; geth allows as many. */
const SIZE_TOLERANCE = 8

/** Throws a fault if a transaction was not requested, or differs from its announcement. */
function requireAnnounced(announced: AnnouncedTransaction | undefined, bytes: Uint8Array): void {
  if (announced === undefined) throw ethFault('The peer sent a transaction that was not requested.')
  const { type, size } = describeTransaction({ hash: announced.hash, encoded: bytes })
  const isOther = announced.type !== undefined && announced.type !== type
  if (isOther || Math.abs((announced.size ?? size) - size) > SIZE_TOLERANCE) {
    const said = `type ${announced.type} and ${announced.size} bytes`
    throw ethFault(`The peer announced a transaction of ${said}, and sent type ${type} and ${size} bytes.`)
  }
}

function hasBlobs({ encoded }: WaitingTransaction): boolean {
  return encoded[0] === BLOB_TYPE
}

function unknownTo<Each extends { readonly hash: Hash }>(
  { transactions: known }: EthPeer,
  transactions: readonly Each[],
): readonly Each[] {
  return transactions.filter(({ hash }) => !known.has(hash))
}

/** One message, or several if there are too many bytes. */
function encodeWhole(transactions: readonly WaitingTransaction[]): readonly Uint8Array[] {
  const messages: Uint8Array[] = []
  let items: Uint8Array[] = []
  let bytes = 0
  const flush = (): void => {
    if (items.length > 0) messages.push(encodeRlpList(items))
    items = []
    bytes = 0
  }
  for (const { encoded } of transactions) {
    if (bytes + encoded.length > MAX_MESSAGE_BYTES) flush()
    items.push(pooledItem(encoded))
    bytes += encoded.length
  }
  flush()
  return messages
}

function sendWhole(
  peer: EthPeer,
  transactions: readonly WaitingTransaction[],
  messages: readonly Uint8Array[],
): void {
  for (const { hash } of transactions) peer.transactions.add(hash)
  for (const message of messages) peer.link.send(ETH.transactions, message, 'bulk')
}

/** Versions before 68 cannot tell blobs from other transactions, so they are not announced there. */
function sendHashes(peer: EthPeer, described: readonly DescribedTransaction[]): void {
  const transactions = peer.version < 68 ? described.filter(({ type }) => type !== BLOB_TYPE) : described
  for (let from = 0; from < transactions.length; from += MAX_ANNOUNCED) {
    const part = transactions.slice(from, from + MAX_ANNOUNCED)
    for (const { hash } of part) peer.transactions.add(hash)
    peer.link.send(ETH.newPooledTransactionHashes, encodeNewPooledHashes(peer.version, part), 'bulk')
  }
}
