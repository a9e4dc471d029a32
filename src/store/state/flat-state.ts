/** The state after a block from the flat tables and their history, by single synchronous reads on any thread. */

import { storeFault } from '#store/faults.ts'
import { decodeBlob } from '#store/kv/blob.ts'
import { accountKey, hashKey, keyText, numberKey, storageKey, TABLE, WORD_BYTES } from '#store/kv/keys.ts'
import type { KvReader } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import type { PastBlocks } from '#store/segments/past-blocks.ts'
import type { Head, PinnedState, StorageFormat, StoredAccount } from '#store/store.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { equalBytes } from '#types/bytes.ts'
import { type AccountRecord, accountValue, decodeAccountRecord } from './account-record.ts'
import { flatPayloadAt } from './history.ts'

export interface StateLimits {
  readonly format: StorageFormat
  /** States kept in BONSAI, the head's included. */
  readonly historyBlocks: number
}

/** Accounts cached by one reader, including missing ones. */
const RECORDS_MAX = 10_000

export function lowestState(
  kv: KvReader,
  { format, historyBlocks }: StateLimits,
  head: Head | undefined = META.head.read(kv),
): number {
  const window = format === 'BONSAI' && head !== undefined ? head.number - historyBlocks + 1 : 0
  return Math.max(0, window, META.lowest.read(kv) ?? 0)
}

/** `expected` is the required block hash. `last` is returned again if it is the same state. */
export function openStateAt(
  kv: KvReader,
  number: number,
  limits: StateLimits,
  past: Pick<PastBlocks, 'hash'>,
  expected?: Uint8Array,
  last?: StateAtBlock,
): StateAtBlock {
  const head = META.head.read(kv)
  const isHead = number === head?.number
  // Most reads are of the head, which contains its hash and is never pruned.
  const hash = isHead ? head.hash : (kv.get(numberKey(TABLE.canonical, number)) ?? past.hash(number))
  if (head === undefined || number > head.number || hash === undefined) {
    const known = head === undefined ? 'no block is stored yet' : `the head is block ${head.number}`
    const sentence = `The state of block ${number} is not known: ${known}.`
    throw storeFault('STATE_UNAVAILABLE', { sentence, number })
  }
  if (expected !== undefined && !equalBytes(hash, expected)) {
    const sentence = `The block is not the one of number ${number} on the chain, and only those have a state.`
    throw storeFault('STATE_UNAVAILABLE', { sentence, number })
  }
  if (!isHead && number < lowestState(kv, limits, head)) throw prunedFault(number)
  if (last?.number === number && last.unwinds === head.unwinds) return last
  return new StateAtBlock(kv, number, head.unwinds, limits.historyBlocks)
}

export class StateAtBlock implements PinnedState {
  readonly number: number
  /** Rewinds when it was opened. While the count is constant, a block with this number and its state stay the same. */
  readonly unwinds: number
  readonly #kv: KvReader
  readonly #historyBlocks: number
  readonly #records = new Map<string, AccountRecord | undefined>()
  readonly #accounts = new Map<Address, StoredAccount>()
  /** The write count when the state was confirmed last: it still is if nothing was written since. */
  #confirmedAt: number | undefined

  constructor(kv: KvReader, number: number, unwinds: number, historyBlocks: number) {
    this.#kv = kv
    this.number = number
    this.unwinds = unwinds
    this.#historyBlocks = historyBlocks
  }

  account(address: Uint8Array): StoredAccount | undefined {
    return accountValue(this.record(address))
  }

  accountOf(address: Address): StoredAccount | undefined {
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    const account = this.account(addressToBytes(address))
    if (account === undefined) return undefined
    if (this.#accounts.size >= RECORDS_MAX) this.#accounts.clear()
    this.#accounts.set(address, account)
    return account
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const account = this.record(address)
    if (!account?.isAlive) return undefined
    const payload = this.#payload(storageKey(address, account.incarnation, slot))
    return payload === undefined ? undefined : storageWord(payload)
  }

  code(hash: Uint8Array): Uint8Array | undefined {
    const stored = this.#kv.get(hashKey(TABLE.code, hash))
    return stored === undefined ? undefined : decodeBlob(stored)
  }

  /** Includes dead accounts. */
  record(address: Uint8Array): AccountRecord | undefined {
    const key = accountKey(address)
    const text = keyText(key)
    const known = this.#records.get(text)
    if (known !== undefined || this.#records.has(text)) return known
    const payload = this.#payload(key)
    const record = payload && decodeAccountRecord(payload)
    if (this.#records.size >= RECORDS_MAX) this.#records.clear()
    this.#records.set(text, record)
    return record
  }

  /** The block may be canonical again after others were read, so only the number of rewinds proves consistency. */
  confirm(): void {
    // Read before the head, so a batch in between is noticed the next time.
    const writes = this.#kv.writes?.quiet()
    if (writes !== undefined && writes === this.#confirmedAt) return
    const head = META.head.read(this.#kv)
    if (head === undefined || head.unwinds !== this.unwinds) {
      const sentence = `The chain was reorganised while the state of block ${this.number} was read. Ask again.`
      throw storeFault('STATE_UNAVAILABLE', { sentence, number: this.number })
    }
    const isRecent = head.number - this.number < this.#historyBlocks
    if (!isRecent && this.number < (META.lowest.read(this.#kv) ?? 0)) throw prunedFault(this.number)
    this.#confirmedAt = writes
  }

  #payload(flatKey: Uint8Array): Uint8Array | undefined {
    const stored = this.#kv.get(flatKey)
    if (stored === undefined) {
      // Never stored; or a slot that was zero so long that pruning removed it, which `lowest` shows.
      if (this.number < (META.lowest.read(this.#kv) ?? 0)) throw prunedFault(this.number)
      return undefined
    }
    const payload = flatPayloadAt(this.#kv, flatKey, stored, this.number)
    if (payload === undefined) throw prunedFault(this.number)
    return payload
  }
}

/** Slot payloads have no leading zeros; an empty one is zero. */
export function storageWord(payload: Uint8Array): Uint8Array | undefined {
  if (payload.length === 0) return undefined
  const word = new Uint8Array(WORD_BYTES)
  word.set(payload, WORD_BYTES - payload.length)
  return word
}

function prunedFault(number: number) {
  const sentence =
    `The state of block ${number} is not kept any more. Ask for a later block, or keep all states ` +
    'with --data-storage-format=FOREST in a new --data-path.'
  return storeFault('STATE_UNAVAILABLE', { sentence, number })
}
