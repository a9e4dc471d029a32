/** `alloc`: the accounts that exist in block 0. */
import type { Address } from '#types/address.ts'
import { MAX_UINT64 } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { JsonObject, type JsonValue } from '#types/json/json-value.ts'
import { parseHexText, parseWeiText, stripPrefix } from './genesis-number.ts'
import { type GenesisProblems, joinPath } from './genesis-problems.ts'
import { addressFromShortHex, describeJson, scalarText } from './genesis-section.ts'

export interface GenesisAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  /** Values by slot; a value of zero has no entry in the state. */
  readonly storage: ReadonlyMap<bigint, bigint>
}

/** In the order of the file. */
export type GenesisAlloc = ReadonlyMap<Address, GenesisAccount>

const ADDRESS_DIGITS = 40
const NO_CODE = new Uint8Array(0)
const NO_STORAGE: ReadonlyMap<bigint, bigint> = new Map()

/** `alloc` is the only key of a genesis file that must be spelled in lower case. */
export function readAlloc(root: JsonObject, problems: GenesisProblems): GenesisAlloc {
  const value = root.get('alloc')
  const accounts = new Map<Address, GenesisAccount>()
  if (value === undefined || value === null) {
    const other = [...root.keys()].find((key) => key !== 'alloc' && key.toLowerCase() === 'alloc')
    if (other !== undefined) {
      problems.warn(
        joinPath('$', other),
        `"${other}" is ignored, and its accounts with it; write it "alloc".`,
      )
    }
    return accounts
  }
  if (!(value instanceof JsonObject)) {
    problems.add('$.alloc', `alloc must be an object of accounts, and not ${describeJson(value)}.`)
    return accounts
  }
  for (const [key, entry] of value) readEntry(key, entry, accounts, problems)
  for (const key of value.repeatedKeys ?? []) {
    problems.warn(
      joinPath('$.alloc', key),
      'This address occurs more than once in alloc. Remove all but the last entry, which counts.',
    )
  }
  return accounts
}

function readEntry(
  key: string,
  entry: JsonValue,
  accounts: Map<Address, GenesisAccount>,
  problems: GenesisProblems,
): void {
  const path = joinPath('$.alloc', key)
  const address = addressFromShortHex(key)
  if (address === undefined) {
    problems.add(path, `"${key.slice(0, 50)}" is not an address: write 20 bytes in hex, with or without 0x.`)
    return
  }
  if (accounts.has(address)) {
    problems.add(path, `${address} occurs twice in alloc, in two spellings. Remove one of them.`)
    return
  }
  const digits = stripPrefix(key).length
  if (digits !== ADDRESS_DIGITS) {
    problems.warn(
      path,
      `With ${digits} hex digits instead of 40 this is read as ${address}; write all of them.`,
    )
  }
  if (!(entry instanceof JsonObject)) {
    problems.add(path, `An account must be an object in braces, and not ${describeJson(entry)}.`)
    return
  }
  accounts.set(address, new AccountReader(path, problems).read(entry))
}

/** Replaces GenesisSection, whose case-insensitive index would double the time for a file with many accounts. */
class AccountReader {
  readonly #path: string
  readonly #problems: GenesisProblems

  constructor(path: string, problems: GenesisProblems) {
    this.#path = path
    this.#problems = problems
  }

  read(entry: JsonObject): GenesisAccount {
    let balance = 0n
    let nonce = 0n
    let code: Uint8Array = NO_CODE
    let storage = NO_STORAGE
    for (const [key, value] of entry) {
      if (value === null) continue
      const name = key.toLowerCase()
      if (name === 'balance') balance = this.#balance(key, value)
      else if (name === 'nonce') nonce = this.#nonce(key, value)
      else if (name === 'code') code = this.#code(key, value)
      else if (name === 'storage') storage = this.#storage(key, value)
    }
    return { balance, nonce, code, storage }
  }

  #balance(key: string, value: JsonValue): bigint {
    const balance = parseWeiText(scalarText(value) ?? '')
    if (balance === undefined) {
      const form = 'an amount of wei of at most 256 bits, decimal or 0x and hex'
      this.#refuse(key, `A balance must be ${form}, and not ${describeJson(value)}.`)
    }
    return balance ?? 0n
  }

  #nonce(key: string, value: JsonValue): bigint {
    const text = scalarText(value) ?? ''
    const nonce = parseHexText(text, MAX_UINT64)
    if (nonce === undefined) {
      this.#refuse(key, `A nonce must be a hex number of at most 64 bits, and not ${describeJson(value)}.`)
    } else if (/^[1-9]\d+$/.test(text)) {
      const sentence = `A nonce is read as hex: ${text} means ${nonce}. Write it with 0x.`
      this.#problems.warn(joinPath(this.#path, key), sentence)
    }
    return nonce ?? 0n
  }

  #code(key: string, value: JsonValue): Uint8Array {
    if (typeof value !== 'string') {
      this.#refuse(key, `Code must be hex data in quotes, and not ${describeJson(value)}.`)
      return NO_CODE
    }
    try {
      return parseDataLenient(stripPrefix(value))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#refuse(key, `Code must be hex data. ${error.data.sentence}`)
      return NO_CODE
    }
  }

  #storage(key: string, value: JsonValue): ReadonlyMap<bigint, bigint> {
    const storage = new Map<bigint, bigint>()
    if (!(value instanceof JsonObject)) {
      this.#refuse(key, `Storage must be an object of slots, and not ${describeJson(value)}.`)
      return storage
    }
    for (const [slotKey, entry] of value) {
      const slot = parseWord(slotKey)
      const word = parseWord(scalarText(entry) ?? 'no word')
      if (slot === undefined)
        this.#refuseSlot(key, slotKey, 'A slot must be a key of at most 32 bytes in hex.')
      else if (word === undefined) {
        const sentence = `A storage value must be at most 32 bytes in hex, and not ${describeJson(entry)}.`
        this.#refuseSlot(key, slotKey, sentence)
      } else if (storage.has(slot)) {
        this.#refuseSlot(
          key,
          slotKey,
          'This slot occurs twice in storage, in two spellings. Remove one of them.',
        )
      } else storage.set(slot, word)
    }
    return storage
  }

  #refuse(key: string, sentence: string): void {
    this.#problems.add(joinPath(this.#path, key), sentence)
  }

  #refuseSlot(key: string, slotKey: string, sentence: string): void {
    this.#problems.add(joinPath(joinPath(this.#path, key), slotKey), sentence)
  }
}

/** Hex with or without 0x; an empty text is zero, as in Besu. */
function parseWord(text: string): bigint | undefined {
  return stripPrefix(text) === '' ? 0n : parseHexText(text)
}
