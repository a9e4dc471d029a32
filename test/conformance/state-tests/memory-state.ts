// A complete state in memory, as in state tests: an engine reads it, the engine's changes are applied, and it is
// hashed.
import { createStateLookup, type StateLookup } from '#evm/state-lookup.ts'
import { EMPTY_TRIE_ROOT, trieRoot } from '#types/block/ordered-trie-root.ts'
import { bigintToBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  accountNonceAt,
  CODE_BYTES,
  readStateChanges,
  STORAGE_SLOT,
  STORAGE_VALUE,
  wordAt,
} from '#types/state-changes.ts'

interface MemoryAccount {
  nonce: bigint
  balance: bigint
  codeHash: Uint8Array
  /** Slot and value in hexadecimal digits and bytes. */
  readonly storage: Map<string, Uint8Array>
}

export interface JsonAccount {
  readonly nonce: string
  readonly balance: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

export type BlockHashOf = (number: bigint) => Uint8Array | undefined

export class MemoryState {
  readonly #accounts = new Map<string, MemoryAccount>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #keccak: Keccak

  constructor(accounts: Readonly<Record<string, JsonAccount>>, keccak: Keccak) {
    this.#keccak = keccak
    for (const [address, { nonce, balance, code, storage }] of Object.entries(accounts)) {
      const bytes = parseDataLenient(code)
      const codeHash = keccak(bytes)
      this.#codes.set(formatDigits(codeHash), bytes)
      const slots = Object.entries(storage).map(([slot, value]) => [word(slot), word(value)] as const)
      this.#accounts.set(address.slice(2).toLowerCase(), {
        nonce: BigInt(nonce),
        balance: BigInt(balance),
        codeHash,
        storage: new Map(
          slots
            .filter(([, value]) => wordAt(value, 0) !== 0n)
            .map(([slot, value]) => [formatDigits(slot), value]),
        ),
      })
    }
  }

  lookup(blockHash: BlockHashOf): StateLookup {
    return createStateLookup({
      account: (address) => {
        const account = this.#accounts.get(formatDigits(address))
        return account && { ...account, hasStorage: account.storage.size > 0 }
      },
      storage: (address, slot) => this.#accounts.get(formatDigits(address))?.storage.get(formatDigits(slot)),
      code: (hash) => this.#codes.get(formatDigits(hash)),
      blockHash,
    })
  }

  apply(changes: Uint8Array): void {
    const digits = (bytes: Uint8Array, at: number, length: number) =>
      formatDigits(bytes.subarray(at, at + length))
    readStateChanges(changes, {
      destroyed: (bytes, at) => this.#accounts.delete(digits(bytes, at, 20)),
      account: (bytes, at) => {
        const key = digits(bytes, at, 20)
        const storage = this.#accounts.get(key)?.storage ?? new Map()
        const balance = wordAt(bytes, at + ACCOUNT_BALANCE)
        const codeHash = bytes.slice(at + ACCOUNT_CODE_HASH, at + ACCOUNT_CODE_HASH + 32)
        this.#accounts.set(key, { nonce: accountNonceAt(bytes, at), balance, codeHash, storage })
      },
      storage: (bytes, at) => {
        const { storage } = this.#accounts.get(digits(bytes, at, 20))!
        const slot = digits(bytes, at + STORAGE_SLOT, 32)
        if (wordAt(bytes, at + STORAGE_VALUE) === 0n) storage.delete(slot)
        else storage.set(slot, bytes.slice(at + STORAGE_VALUE, at + STORAGE_VALUE + 32))
      },
      code: (bytes, at, length) =>
        this.#codes.set(digits(bytes, at, 32), bytes.slice(at + CODE_BYTES, at + CODE_BYTES + length)),
    })
  }

  copy(): MemoryState {
    const copy = new MemoryState({}, this.#keccak)
    for (const [hash, code] of this.#codes) copy.#codes.set(hash, code)
    for (const [address, account] of this.#accounts) {
      copy.#accounts.set(address, { ...account, storage: new Map(account.storage) })
    }
    return copy
  }

  root(): Hash {
    const keccak = this.#keccak
    return trieRoot(
      [...this.#accounts].map(([address, { nonce, balance, codeHash, storage }]) => {
        const root = hashToBytes(storageRoot(storage, keccak))
        return [
          keccak(Buffer.from(address, 'hex')),
          encodeRlp([rlpScalar(nonce), rlpScalar(balance), root, codeHash]),
        ] as const
      }),
      keccak,
    )
  }
}

function storageRoot(storage: ReadonlyMap<string, Uint8Array>, keccak: Keccak): Hash {
  if (storage.size === 0) return EMPTY_TRIE_ROOT
  return trieRoot(
    [...storage].map(
      ([slot, value]) => [keccak(Buffer.from(slot, 'hex')), encodeRlp(rlpScalar(wordAt(value, 0)))] as const,
    ),
    keccak,
  )
}

function word(quantity: string): Uint8Array {
  return bigintToBytes(BigInt(quantity), 32)
}
