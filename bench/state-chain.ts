/**
 * The chain of bench/state.ts: ERC-20 transfers, without an engine, between holders of whom some are far busier than
 * others. The same seed gives the same chain. It records all senders outside the capped heap, so balances at any
 * height can be checked.
 */

import { createSeededRandom } from '#platform/random.fixture.ts'
import type { NewBlock, StateVersion } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { StateChangesWriter } from '#types/state-changes.ts'

const ADDRESS_BYTES = 20
const WORD_BYTES = 32
const EMPTY_CODE = Buffer.from('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470', 'hex')
const TRANSFER_SELECTOR = Buffer.from('a9059cbb', 'hex')
/** List head, nonce, fees and gas of an encoded transfer. */
const TRANSACTION_HEAD = Buffer.from('f8ac83010203078459682f0082c350', 'hex')
/** r, s and v: the incompressible part of a transaction. */
const SIGNATURE_BYTES = 66
/** A header has about 250 bytes of hashes; the rest, mainly the bloom, is mostly zeros. */
const HEADER_HASH_BYTES = 250
const HEADER_ZERO_BYTES = 300
const START_BALANCE = 10n ** 18n
const START_TOKENS = 10n ** 20n
const FEE = 1_000n

export interface ChainSize {
  readonly seed: number
  readonly holders: number
  /** Blocks with recorded senders, and the transactions in each. */
  readonly blocks: number
  readonly transactions: number
}

export class StateChain {
  readonly size: ChainSize
  readonly miner: Uint8Array
  /** Number of the next block. */
  next = 0
  readonly #random
  readonly #token: Uint8Array
  readonly #hash: Uint8Array
  readonly #addresses: Uint8Array
  readonly #slots: Uint8Array
  readonly #senders: Uint32Array

  constructor(size: ChainSize) {
    this.size = size
    this.#random = createSeededRandom(size.seed)
    this.#hash = this.#random.randomBytes(WORD_BYTES)
    this.#token = this.#random.randomBytes(ADDRESS_BYTES)
    this.miner = this.#random.randomBytes(ADDRESS_BYTES)
    this.#addresses = this.#random.randomBytes(size.holders * ADDRESS_BYTES)
    this.#slots = this.#random.randomBytes(size.holders * WORD_BYTES)
    this.#senders = new Uint32Array(size.blocks * size.transactions)
  }

  get genesisHash(): Uint8Array {
    return this.#hashOf(0)
  }

  /** Addresses of all holders, for the reading thread. */
  get addresses(): Uint8Array {
    return this.#addresses
  }

  address(holder: number): Uint8Array {
    return this.#addresses.subarray(holder * ADDRESS_BYTES, (holder + 1) * ADDRESS_BYTES)
  }

  /** The busiest hundredth sends a fifth of all transactions. */
  pick(): number {
    const uniform = this.#random.randomBelow(2 ** 32) / 2 ** 32
    return Math.floor(uniform ** 3 * this.size.holders)
  }

  genesis(store: Store): NewBlock {
    const writer = new StateChangesWriter()
    const { holders } = this.size
    for (let holder = 0; holder < holders; holder++)
      writer.account(this.address(holder), 1n, balanceOf(1), EMPTY_CODE)
    writer.account(this.#token, 1n, 0n, this.#hash)
    for (let holder = 0; holder < holders; holder++)
      writer.storage(this.#token, this.#slot(holder), bigintToBytes(START_TOKENS, WORD_BYTES))
    return this.#block(store, store.headState(), writer.finish(), {})
  }

  /** Builds on the parent; by default with the recorded block size. */
  transfers(store: Store, parent: StateVersion, transactions = this.size.transactions): NewBlock {
    const senders = new Set<number>()
    const balances = new Map<number, bigint>()
    const body: Uint8Array[] = []
    const receipts: Uint8Array[] = []
    const calls: Uint8Array[] = []
    const transactionHashes: Uint8Array[] = []
    const logTopics: Uint8Array[] = [this.#hash]
    for (let index = 0; index < transactions; index++) {
      const [from, to] = [this.pick(), this.pick()]
      const remembered = (this.next - 1) * this.size.transactions + index
      if (index < this.size.transactions && remembered < this.#senders.length)
        this.#senders[remembered] = from
      senders.add(from)
      for (const holder of [from, to])
        balances.set(holder, START_TOKENS + BigInt(this.#random.randomBelow(2 ** 32)))
      const [sender, receiver] = [pad(this.address(from)), pad(this.address(to))]
      const amount = pad(this.#random.randomBytes(7))
      const input = Buffer.concat([TRANSFER_SELECTOR, receiver, amount])
      body.push(TRANSACTION_HEAD, this.#token, input, this.#random.randomBytes(SIGNATURE_BYTES))
      receipts.push(this.#token, this.#hash, sender, receiver, amount)
      calls.push(this.address(from), this.#token, Buffer.alloc(8), input, pad(Uint8Array.of(1)))
      transactionHashes.push(this.#random.randomBytes(WORD_BYTES))
      logTopics.push(sender, receiver)
    }
    return this.#block(store, parent, this.#changes(senders, balances), {
      body: Buffer.concat(body),
      receipts: Buffer.concat(receipts),
      callTrees: Buffer.concat(calls),
      transactionHashes,
      logAddresses: [this.#token],
      logTopics,
    })
  }

  /** The expected balance of every holder after a recorded block. */
  balancesAt(block: number): (holder: number) => bigint {
    const nonces = new Uint32Array(this.size.holders).fill(1)
    const { transactions } = this.size
    for (let index = 0; index < block * transactions; index++)
      nonces[this.#senders[index]!] = Math.floor(index / transactions) + 2
    return (holder) => balanceOf(nonces[holder]!)
  }

  /** Transactions per holder in the recorded blocks. */
  sentBy(): Uint32Array {
    const sent = new Uint32Array(this.size.holders)
    const made = Math.min(this.next - 1, this.size.blocks) * this.size.transactions
    for (const sender of this.#senders.subarray(0, made)) sent[sender] = sent[sender]! + 1
    return sent
  }

  #changes(senders: ReadonlySet<number>, tokens: ReadonlyMap<number, bigint>): Uint8Array {
    const writer = new StateChangesWriter()
    const nonce = this.next + 1
    for (const holder of senders)
      writer.account(this.address(holder), BigInt(nonce), balanceOf(nonce), EMPTY_CODE)
    writer.account(this.miner, 0n, BigInt(this.next) * 10n ** 15n, EMPTY_CODE)
    for (const [holder, amount] of tokens)
      writer.storage(this.#token, this.#slot(holder), bigintToBytes(amount, WORD_BYTES))
    return writer.finish()
  }

  #block(store: Store, parent: StateVersion, changes: Uint8Array, parts: Partial<NewBlock>): NewBlock {
    const number = this.next++
    const nothing = new Uint8Array(0)
    return {
      number,
      hash: this.#hashOf(number),
      timestamp: number,
      header: Buffer.concat([this.#random.randomBytes(HEADER_HASH_BYTES), Buffer.alloc(HEADER_ZERO_BYTES)]),
      body: nothing,
      receipts: nothing,
      callTrees: nothing,
      transactionHashes: [],
      logAddresses: [],
      logTopics: [],
      parties: undefined,
      ...parts,
      state: store.deriveState(parent, changes),
    }
  }

  #slot(holder: number): Uint8Array {
    return this.#slots.subarray(holder * WORD_BYTES, (holder + 1) * WORD_BYTES)
  }

  #hashOf(number: number): Uint8Array {
    const bytes = Uint8Array.from(this.#hash)
    new DataView(bytes.buffer).setUint32(0, number)
    return bytes
  }
}

function balanceOf(nonce: number): bigint {
  return START_BALANCE - BigInt(nonce) * FEE
}

function pad(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.alloc(WORD_BYTES - bytes.length), bytes])
}
