/** All accounts as one text: gzipped JSON in the form of anvil, of which only the accounts count. */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { object, record, string, type infer as TypeOf } from 'zod'
import { AddressWire } from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { AccountEdit } from '#chain/write/create-chain.ts'
import { ADDRESS_BYTES, type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { HASH_BYTES, type Hash, hashFromBytes, hashToBytes } from '#types/hash.ts'
import { formatData, formatQuantity, parseData } from '#types/hex.ts'
import { readStateChanges, STORAGE_SLOT } from '#types/state-changes.ts'
import { NonceWire, Word, wordText } from './word.ts'

const PAGE = 256
/** Bounds the memory that a short gzip file can take. */
const MAX_DUMP_BYTES = 256 * 1024 * 1024

const Account = object({
  nonce: NonceWire,
  balance: Word,
  code: string(),
  storage: record(string(), string()),
})
const Dump = object({ accounts: record(string(), Account) })

/** Throws STATE_UNAVAILABLE if the chain is rewound meanwhile. */
export async function dumpState(chain: ChainView): Promise<string> {
  const number = Number(chain.head().header.number)
  const state = chain.stateAt(number)
  const edited = editedSlots(chain.editsAfter(number))
  const accounts: Record<Address, unknown> = {}
  for (const address of [...storedAddresses(chain, number), ...edited.keys()]) {
    const bytes = addressToBytes(address)
    const account = state.account(bytes)
    if (account === undefined) continue
    const slots = [...storedSlots(chain, number, bytes), ...(edited.get(address) ?? [])]
    const storage: Record<Hash, Hash> = {}
    for (const slot of slots) {
      const value = state.storage(bytes, hashToBytes(slot))
      if (value !== undefined) storage[slot] = hashFromBytes(value)
    }
    const code = state.code(account.codeHash) ?? new Uint8Array(0)
    accounts[address] = {
      nonce: Number(account.nonce),
      balance: formatQuantity(account.balance),
      code: formatData(code),
      storage,
    }
  }
  state.confirm()
  return formatData(await promisify(gzip)(JSON.stringify({ accounts })))
}

/** Throws INVALID_STATE_DUMP. */
export async function parseDump(bytes: Uint8Array): Promise<AccountEdit[]> {
  const text = await promisify(gunzip)(bytes, { maxOutputLength: MAX_DUMP_BYTES }).catch(refuseDump)
  return decodeDump(text.toString('utf8'))
}

/** Throws INVALID_STATE_DUMP. */
export function decodeDump(json: string): AccountEdit[] {
  try {
    const { accounts } = Dump.parse(JSON.parse(json))
    return Object.entries(accounts).map(([address, account]) => editOf(AddressWire.parse(address), account))
  } catch (cause) {
    return refuseDump(cause)
  }
}

function refuseDump(cause: unknown): never {
  const sentence = 'The state is not gzipped JSON with accounts, as anvil_dumpState returns it.'
  throw new Fault('INVALID_STATE_DUMP', { sentence }, { cause })
}

function editOf(address: Address, { nonce, balance, code, storage }: TypeOf<typeof Account>): AccountEdit {
  const slots = Object.entries(storage).map(
    ([slot, value]) => [wordText(Word.parse(slot)), wordText(Word.parse(value))] as const,
  )
  return { address, nonce, balance, code: parseData(code), stateDiff: new Map(slots) }
}

function* storedAddresses(chain: ChainView, number: number): Generator<Address> {
  for (const hash of pages(
    (from, limit) => chain.accountHashesAt(number, from, limit),
    (each) => each,
  )) {
    const address = chain.addressOf(hash)
    assert(address !== undefined, 'The address of every account is stored.')
    yield addressFromBytes(address)
  }
}

function* storedSlots(chain: ChainView, number: number, address: Uint8Array): Generator<Hash> {
  for (const { hash } of pages(
    (from, limit) => chain.slotsAt(number, address, from, limit),
    (each) => each.hash,
  )) {
    const slot = chain.slotOf(hash)
    assert(slot !== undefined, 'The number of every slot is stored.')
    yield hashFromBytes(slot)
  }
}

/** Reads all items in the order of their keys, a page at a time. The item after a page begins the next one. */
function* pages<Item>(
  read: (from: Uint8Array, limit: number) => readonly Item[],
  keyOf: (item: Item) => Uint8Array,
): Generator<Item> {
  let from: Uint8Array = new Uint8Array(HASH_BYTES)
  for (;;) {
    const page = read(from, PAGE + 1)
    yield* page.slice(0, PAGE)
    if (page.length <= PAGE) return
    from = keyOf(page[PAGE]!)
  }
}

/** Accounts and slots that edits changed, which are not in the tries yet. */
function editedSlots(edits: readonly Uint8Array[]): Map<Address, Set<Hash>> {
  const slots = new Map<Address, Set<Hash>>()
  const slotsOf = (bytes: Uint8Array, at: number): Set<Hash> => {
    const address = addressFromBytes(bytes.subarray(at, at + ADDRESS_BYTES))
    const known = slots.get(address) ?? new Set<Hash>()
    slots.set(address, known)
    return known
  }
  for (const changes of edits) {
    readStateChanges(changes, {
      account: (bytes, at) => void slotsOf(bytes, at),
      storage: (bytes, at) => {
        const slot = bytes.subarray(at + STORAGE_SLOT, at + STORAGE_SLOT + HASH_BYTES)
        slotsOf(bytes, at).add(hashFromBytes(slot))
      },
    })
  }
  return slots
}
