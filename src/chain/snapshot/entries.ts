/** Encodes and decodes the content of chunks (docs/internals/wire/snapshot.md). Decoding trusts nothing. */
import { ADDRESS_BYTES } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { bytesFromRlp, decodeRlp, encodeRlp, listFromRlp, rlpScalar, scalarFromRlp } from '#types/rlp.ts'

export interface SnapshotHead {
  readonly genesisHash: Hash
  readonly number: number
  readonly hash: Hash
}

export interface SnapshotEnd {
  readonly accounts: number
  readonly slots: number
}

export interface AccountEntry {
  readonly address: Uint8Array
  /** Without leading zeros. */
  readonly nonce: Uint8Array
  readonly balance: Uint8Array
  /** The hash if an earlier account came with the code; undefined without code. */
  readonly code: { readonly hash: Uint8Array } | { readonly bytes: Uint8Array } | undefined
}

export interface SlotEntry {
  readonly slot: Uint8Array
  /** Without leading zeros, and not zero. */
  readonly value: Uint8Array
}

export type StateEntry =
  | ({ readonly kind: 'account' } & AccountEntry)
  | ({ readonly kind: 'slot' } & SlotEntry)

const ACCOUNT = 1
const SLOT = 2
const CODE = { none: 0, known: 1, here: 2 } as const
const NONCE_BYTES = 8
const WORD_BYTES = 32
const MAX_NUMBER = 2 ** 48 - 1
const SMALL = { maxBytes: 256, maxItems: 16, maxDepth: 2 }
const COUNT_BYTES = 6

export function encodeHead({ genesisHash, number, hash }: SnapshotHead): Uint8Array {
  return encodeRlp([hashToBytes(genesisHash), rlpScalar(number), hashToBytes(hash)])
}

export function decodeHead(content: Uint8Array): SnapshotHead {
  const [genesisHash, number, hash] = listFromRlp(decodeRlp(content, SMALL), 3)
  return {
    genesisHash: hashFromBytes(bytesFromRlp(genesisHash, HASH_BYTES)),
    number: Number(scalarFromRlp(number, COUNT_BYTES)),
    hash: hashFromBytes(bytesFromRlp(hash, HASH_BYTES)),
  }
}

export function encodeEnd({ accounts, slots }: SnapshotEnd): Uint8Array {
  return encodeRlp([rlpScalar(accounts), rlpScalar(slots)])
}

export function decodeEnd(content: Uint8Array): SnapshotEnd {
  const [accounts, slots] = listFromRlp(decodeRlp(content, SMALL), 2)
  return {
    accounts: Number(scalarFromRlp(accounts, COUNT_BYTES)),
    slots: Number(scalarFromRlp(slots, COUNT_BYTES)),
  }
}

export function encodeAccount({ address, nonce, balance, code }: AccountEntry): Uint8Array {
  const head = Buffer.of(ACCOUNT, ...address, nonce.length, ...nonce, balance.length, ...balance)
  if (code === undefined) return Buffer.concat([head, Buffer.of(CODE.none)])
  if ('hash' in code) return Buffer.concat([head, Buffer.of(CODE.known), code.hash])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(code.bytes.length)
  return Buffer.concat([head, Buffer.of(CODE.here), length, code.bytes])
}

export function encodeSlot({ slot, value }: SlotEntry): Uint8Array {
  return Buffer.concat([Buffer.of(SLOT), slot, Buffer.of(value.length), value])
}

/** Yields views. Throws INVALID_RECORD without a position, which the caller knows. */
export function* decodeEntries(content: Uint8Array): Generator<StateEntry, void, undefined> {
  const reader = new EntryReader(content)
  while (reader.left > 0) {
    const kind = reader.byte()
    if (kind === SLOT) {
      const slot = reader.take(WORD_BYTES)
      const value = reader.number(WORD_BYTES)
      if (value.length === 0) throw invalid('a slot is zero')
      yield { kind: 'slot', slot, value }
    } else if (kind === ACCOUNT) {
      const address = reader.take(ADDRESS_BYTES)
      const nonce = reader.number(NONCE_BYTES)
      yield { kind: 'account', address, nonce, balance: reader.number(WORD_BYTES), code: reader.code() }
    } else {
      throw invalid('an entry is neither an account nor a slot')
    }
  }
}

class EntryReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    return this.take(1)[0]!
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw invalid('an entry is cut off')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** Reads a length and a number without leading zeros. */
  number(maxBytes: number): Uint8Array {
    const length = this.byte()
    if (length > maxBytes) throw invalid('a number is too long')
    const bytes = this.take(length)
    if (bytes[0] === 0) throw invalid('a number has more bytes than it needs')
    return bytes
  }

  code(): AccountEntry['code'] {
    const kind = this.byte()
    if (kind === CODE.none) return undefined
    if (kind === CODE.known) return { hash: this.take(HASH_BYTES) }
    if (kind !== CODE.here) throw invalid('a code is neither here nor elsewhere')
    const head = this.take(4)
    const length = new DataView(head.buffer, head.byteOffset, 4).getUint32(0)
    if (length === 0) throw invalid('a code is empty')
    return { bytes: this.take(length) }
  }
}

function invalid(sentence: string): Fault {
  return new Fault('INVALID_RECORD', { sentence })
}

/** Whether the store can hold a block with this number. */
export function isBlockNumber(number: number): boolean {
  return number > 0 && number <= MAX_NUMBER
}
