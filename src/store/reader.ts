/** Everything that is read, on any thread, from what is durable. */

import type { Keccak } from '#types/keccak.ts'
import { decodeBlob } from './blob.ts'
import { lowestState, openStateAt, type StateLimits } from './flat-state.ts'
import { blockKey, hashKey, MAX_NUMBER, numberKey, TABLE } from './keys.ts'
import type { Kv } from './kv.ts'
import { blocksWithLogs } from './logged-blocks.ts'
import { readHead, readMark } from './meta.ts'
import { proveAt } from './proof.ts'
import type {
  AccountProof,
  BlockMark,
  BlockTable,
  Head,
  LogQuery,
  PinnedState,
  StorageFormat,
  StoreReader,
  TransactionPlace,
} from './store.ts'
import { ByteReader } from './varint.ts'

export class LedgerReader implements StoreReader {
  readonly format: StorageFormat
  readonly kv: Kv
  readonly limits: StateLimits
  readonly #keccak: Keccak

  constructor(kv: Kv, limits: StateLimits, keccak: Keccak) {
    this.kv = kv
    this.limits = limits
    this.format = limits.format
    this.#keccak = keccak
  }

  head(): Head | undefined {
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
    return stored === undefined ? undefined : new ByteReader(stored).varint()
  }

  read(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined {
    if (!isNumber(number)) return undefined
    const stored = this.kv.get(blockKey(TABLE[table], number, hash))
    return stored === undefined ? undefined : decodeBlob(stored)
  }

  transaction(hash: Uint8Array): TransactionPlace | undefined {
    const stored = this.kv.get(hashKey(TABLE.transaction, hash))
    if (stored === undefined) return undefined
    const reader = new ByteReader(stored)
    return { number: reader.varint(), index: reader.varint() }
  }

  lowestState(): number {
    return lowestState(this.kv, this.limits)
  }

  stateAt(number: number): PinnedState {
    return openStateAt(this.kv, number, this.limits)
  }

  proofAt(number: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    const snapshot = this.kv.snapshot()
    try {
      return proveAt(snapshot, this.limits, this.#keccak, number, address, slots)
    } finally {
      snapshot.close()
    }
  }

  blocksWithLogs(query: LogQuery): AsyncIterable<number> {
    return blocksWithLogs(this.kv, query)
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
}

/** Whether a block can have this number at all: what others ask for may be anything. */
function isNumber(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= MAX_NUMBER
}
