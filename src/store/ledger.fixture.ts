/** A generated ledger with the plainest possible model of each state. */
import { createLog } from '#platform/log/log.ts'
import type { Random } from '#platform/random.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import { StateChangesWriter } from '#types/state-changes.ts'
import type { Kv } from './kv/kv.ts'
import { openStoreOn, type StoreOptions } from './open-store.ts'
import { EMPTY_CODE_HASH } from './state/account-record.ts'
import type { NewBlock } from './store.ts'
import { naiveRoot } from './trie/naive-trie.fixture.ts'
import type { Store } from './writer.ts'

export interface ModelAccount {
  nonce: bigint
  balance: bigint
  codeHash: Uint8Array
  storage: Map<string, bigint>
}

/** By address in hex; storage by slot in hex. */
export type ModelState = Map<string, ModelAccount>

export const silentLog = createLog({ level: 'OFF' })

export const testOptions: Omit<StoreOptions, 'path'> = {
  format: 'BONSAI',
  historyBlocks: 300,
  genesisHash: hashOf('genesis'),
  forks: [{ name: 'frontier', trigger: 'block', from: 0n }],
  log: silentLog,
}

export function openTestStore(kv: Kv, options: Partial<StoreOptions> = {}): Promise<Store> {
  return openStoreOn(kv, { ...testOptions, ...options })
}

export function hashOf(text: string): Uint8Array {
  return keccak256(Buffer.from(text))
}

export function copyState(state: ModelState): ModelState {
  return new Map([...state].map(([key, account]) => [key, { ...account, storage: new Map(account.storage) }]))
}

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))

/** Changes some accounts of the state and returns the changes. */
export class RandomBlocks {
  readonly addresses: readonly Uint8Array[]
  readonly slots: readonly Uint8Array[]
  readonly #random: Random
  readonly #changesMax: number

  constructor(random: Random, sizes = { addresses: 40, slots: 30, changes: 8 }) {
    this.#random = random
    this.addresses = Array.from({ length: sizes.addresses }, () => random.randomBytes(20))
    this.slots = Array.from({ length: sizes.slots }, () => random.randomBytes(32))
    this.#changesMax = sizes.changes
  }

  next(state: ModelState): Uint8Array {
    const writer = new StateChangesWriter()
    const chosen = new Set<Uint8Array>()
    const count = this.#random.randomBelow(this.#changesMax + 1)
    for (let index = 0; index < count; index++) chosen.add(this.#pick(this.addresses))
    for (const address of chosen) this.#change(state, address, writer)
    return writer.finish()
  }

  #change(state: ModelState, address: Uint8Array, writer: StateChangesWriter): void {
    const key = formatDigits(address)
    const random = this.#random
    const isDestroyed = random.randomBelow(6) === 0
    if (isDestroyed) {
      writer.destroyed(address)
      state.delete(key)
      if (random.randomBelow(2) === 0) return
    }
    let account = state.get(key)
    if (account === undefined || random.randomBelow(3) > 0) {
      account = {
        nonce: BigInt(random.randomBelow(300)),
        balance: BigInt(`0x${formatDigits(random.randomBytes(1 + random.randomBelow(12)))}`),
        codeHash: account?.codeHash ?? this.#code(writer),
        storage: account?.storage ?? new Map(),
      }
      state.set(key, account)
      writer.account(address, account.nonce, account.balance, account.codeHash)
    }
    const slots = new Set<Uint8Array>()
    for (let left = random.randomBelow(5); left > 0; left--) slots.add(this.#pick(this.slots))
    for (const slot of slots) {
      const value = random.randomBelow(3) === 0 ? 0n : BigInt(1 + random.randomBelow(1000))
      if (value === 0n) account.storage.delete(formatDigits(slot))
      else account.storage.set(formatDigits(slot), value)
      writer.storage(address, slot, bigintToBytes(value, 32))
    }
  }

  #code(writer: StateChangesWriter): Uint8Array {
    if (this.#random.randomBelow(2) === 0) return EMPTY_CODE_HASH
    const code = this.#random.randomBytes(50)
    const hash = keccak256(code)
    writer.code(hash, code)
    return hash
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.randomBelow(items.length)]!
  }
}

/** Many accounts and one contract with many slots, so their tries are flushed by groups. */
export class WideChanges {
  readonly addresses: Uint8Array[]
  readonly slots: Uint8Array[]
  readonly #random: Random

  constructor(random: Random, size: number) {
    this.#random = random
    this.addresses = Array.from({ length: size }, () => random.randomBytes(20))
    this.slots = Array.from({ length: size }, () => random.randomBytes(32))
  }

  genesis(): Uint8Array {
    return this.#write(this.addresses, this.slots)
  }

  next(): Uint8Array {
    return this.#write(this.#some(this.addresses), this.#some(this.slots))
  }

  #some(items: readonly Uint8Array[]): Uint8Array[] {
    const count = 5 + this.#random.randomBelow(60)
    return [...new Set(Array.from({ length: count }, () => items[this.#random.randomBelow(items.length)]!))]
  }

  #write(addresses: readonly Uint8Array[], slots: readonly Uint8Array[]): Uint8Array {
    const writer = new StateChangesWriter()
    const contract = this.addresses[0]!
    const random = this.#random
    for (const address of addresses) {
      if (address === contract) continue
      if (random.randomBelow(10) === 0) writer.destroyed(address)
      else writer.account(address, 1n, BigInt(random.randomBelow(2 ** 30)), EMPTY_CODE_HASH)
    }
    writer.account(contract, 1n, BigInt(random.randomBelow(1000)), EMPTY_CODE_HASH)
    for (const slot of slots)
      writer.storage(contract, slot, bigintToBytes(BigInt(random.randomBelow(9) * 77), 32))
    return writer.finish()
  }
}

export function blockOf(store: Store, number: number, changes: Uint8Array, fork = ''): NewBlock {
  return followingBlock(store, store.headState(), number, changes, fork)
}

export function followingBlock(
  store: Store,
  parent: NewBlock['state'],
  number: number,
  changes: Uint8Array,
  fork = '',
): NewBlock {
  const text = `${number}${fork}`
  return {
    number,
    hash: number === 0 ? hashOf('genesis') : hashOf(`block ${text}`),
    timestamp: number * 10,
    header: Buffer.from(`header ${text} `.repeat(20)),
    body: Buffer.from(text),
    receipts: Buffer.from(`receipts ${text}`),
    callTrees: Buffer.from(`calls ${text}`),
    transactionHashes: [hashOf(`transaction ${text}`)],
    logAddresses: [hashOf(`logger ${number % 3}`).subarray(0, 20)],
    logTopics: [hashOf(`topic ${number % 5}`)],
    parties: {
      callers: [{ address: hashOf(`caller ${number % 4}`).subarray(0, 20), transactions: [0] }],
      callees: [{ address: hashOf(`callee ${number % 3}`).subarray(0, 20), transactions: [0] }],
    },
    state: store.deriveState(parent, changes),
  }
}

/** The transaction hashes of a body made by followingBlock. */
export function transactionHashesOf(body: Uint8Array): Uint8Array[] {
  return [hashOf(`transaction ${Buffer.from(body)}`)]
}

export function modelRoot(state: ModelState): Uint8Array {
  const leaves = new Map<string, Uint8Array>()
  for (const [address, account] of state) {
    const storage = new Map(
      [...account.storage].map(([slot, value]) => [
        formatDigits(keccak256(hex(slot))),
        encodeRlp(rlpScalar(value)),
      ]),
    )
    const leaf = [rlpScalar(account.nonce), rlpScalar(account.balance), naiveRoot(storage), account.codeHash]
    leaves.set(formatDigits(keccak256(hex(address))), encodeRlp(leaf))
  }
  return naiveRoot(leaves)
}
