/** Everything that is read, on any thread, from what is durable. */

import type { Keccak } from '#types/keccak.ts'
import { decodeBlob } from './kv/blob.ts'
import { blockKey, hashKey, MAX_NUMBER, numberKey, TABLE } from './kv/keys.ts'
import type { Kv, KvReader } from './kv/kv.ts'
import { ValueReader } from './kv/varint.ts'
import { blocksWithLogs } from './logged-blocks.ts'
import { readFirstBlock, readHead, readMark, readTracedFrom } from './meta.ts'
import { accountHashesAt, slotsAt } from './range.ts'
import { lowestState, openStateAt, type StateAtBlock, type StateLimits } from './state/flat-state.ts'
import { proveAt } from './state/proof.ts'
import { rootAfter } from './state/root-after.ts'
import type {
  AccountProof,
  BlockMark,
  BlockTable,
  HashedSlot,
  HeadRecord,
  LoggedBlocksQuery,
  PinnedState,
  RootAfter,
  StorageFormat,
  StoreReader,
  TracedTransactions,
  TraceQuery,
  TransactionPlace,
} from './store.ts'
import { tracedBlocks } from './traced-blocks.ts'

export class LedgerReader implements StoreReader {
  readonly format: StorageFormat
  readonly kv: Kv
  readonly limits: StateLimits
  readonly #keccak: Keccak
  #lastState: StateAtBlock | undefined

  constructor(kv: Kv, limits: StateLimits, keccak: Keccak) {
    this.kv = kv
    this.limits = limits
    this.format = limits.format
    this.#keccak = keccak
  }

  head(): HeadRecord | undefined {
    return readHead(this.kv)
  }

  safe(): BlockMark | undefined {
    return readMark(this.kv, 'safe')
  }

  finalized(): BlockMark | undefined {
    return readMark(this.kv, 'finalized')
  }

  canonicalHash(number: number): Uint8Array | undefined {
    return isNumber(number) ? this.kv.get(numberKey(TABLE.canonical, number)) : undefined
  }

  numberOf(hash: Uint8Array): number | undefined {
    const stored = this.kv.get(hashKey(TABLE.number, hash))
    return stored === undefined ? undefined : new ValueReader(stored).varint()
  }

  read(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined {
    if (!isNumber(number)) return undefined
    const stored = this.kv.get(blockKey(TABLE[table], number, hash))
    return stored === undefined ? undefined : decodeBlob(stored)
  }

  transaction(hash: Uint8Array): TransactionPlace | undefined {
    const stored = this.kv.get(hashKey(TABLE.transaction, hash))
    if (stored === undefined) return undefined
    const reader = new ValueReader(stored)
    return { number: reader.varint(), index: reader.varint() }
  }

  firstBlock(): number {
    return readFirstBlock(this.kv)
  }

  lowestState(): number {
    return lowestState(this.kv, this.limits)
  }

  /** The same object for the same state, while no other is asked for: what hangs on it need not be made again. */
  stateAt(number: number, hash?: Uint8Array): PinnedState {
    this.#lastState = openStateAt(this.kv, number, this.limits, hash, this.#lastState)
    return this.#lastState
  }

  proofAt(number: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    return this.#onSnapshot((kv) => proveAt(kv, this.limits, this.#keccak, number, address, slots))
  }

  accountHashesAt(number: number, from: Uint8Array, limit: number): Uint8Array[] {
    return this.#onSnapshot((kv) => accountHashesAt(kv, this.limits, this.#keccak, number, { from, limit }))
  }

  slotsAt(number: number, address: Uint8Array, from: Uint8Array, limit: number): HashedSlot[] {
    return this.#onSnapshot((kv) => slotsAt(kv, this.limits, this.#keccak, number, address, { from, limit }))
  }

  rootAfter(number: number, changes: Uint8Array): RootAfter {
    return this.#onSnapshot((kv) => rootAfter(kv, this.limits, this.#keccak, number, changes))
  }

  blocksWithLogs(query: LoggedBlocksQuery): AsyncIterable<number> {
    return blocksWithLogs(this.kv, query)
  }

  tracedFrom(): number {
    return readTracedFrom(this.kv) ?? MAX_NUMBER
  }

  tracedTransactions(query: TraceQuery): AsyncIterable<TracedTransactions> {
    return tracedBlocks(this.kv, query)
  }

  addressOf(hash: Uint8Array): Uint8Array | undefined {
    return this.kv.get(hashKey(TABLE.addressPreimage, hash))
  }

  slotOf(hash: Uint8Array): Uint8Array | undefined {
    return this.kv.get(hashKey(TABLE.slotPreimage, hash))
  }

  async close(): Promise<void> {
    await this.kv.close()
  }

  #onSnapshot<Value>(read: (kv: KvReader) => Value): Value {
    const snapshot = this.kv.snapshot()
    try {
      return read(snapshot)
    } finally {
      snapshot.close()
    }
  }
}

/** Whether a block can have this number at all: what others ask for may be anything. */
function isNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER
}
