/** A small state with everything that code can meet, and who can send transactions in it. */

import type { StateAccount, StateSource } from '#evm/state-lookup.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { hashFromBytes } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import { generateProgram } from './program.ts'
import type { Random } from './random.ts'

export interface Sender {
  readonly key: Uint8Array
  readonly address: Address
}

export interface World {
  readonly senders: readonly Sender[]
  readonly contracts: readonly Address[]
  /** Everybody, precompiles and nobody included. */
  readonly addresses: readonly Address[]
  /** Whom the protocol calls: contracts made for it or not, and those without code. */
  readonly systemTargets: readonly Address[]
  readonly state: StateSource
  readonly nonces: Map<Address, bigint>
}

const SENDERS = 4
const CONTRACTS = 5
const PRECOMPILES = 0x12
const SLOTS = 6
/** Makes an account with one wei that destroys itself in favour of itself; called by the protocol only. */
const DESTROYER = '0xdddddddddddddddddddddddddddddddddddddddd' as Address
const DESTROYER_CODE = Uint8Array.from(Buffer.from('6130ff5f526002601e6001f0', 'hex'))
export const COINBASE = '0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0' as Address

export const SENDER_KEYS: readonly Sender[] = Array.from({ length: SENDERS }, (_, index) => {
  const key = new Uint8Array(32).fill(index + 1)
  return { key, address: addressFromPublicKey(publicKeyFromPrivate('secp256k1', key)) }
})

export function addressOf(number: number): Address {
  return addressFromBytes(concatBytes(new Uint8Array(16), Uint8Array.of(0, 0, number >> 8, number & 255)))
}

function createAddress(creator: Address, nonce: bigint): Address {
  const encoded = encodeRlp([addressToBytes(creator), rlpScalar(nonce)])
  return addressFromBytes(keccak256(encoded).subarray(12))
}

export function slotOf(number: number): Uint8Array {
  const slot = new Uint8Array(32)
  slot[31] = number
  return slot
}

export function createWorld(random: Random): World {
  const contracts = Array.from({ length: CONTRACTS }, (_, index) => addressOf(0x1000 + index))
  const precompiles = Array.from({ length: PRECOMPILES }, (_, index) => addressOf(index + 1))
  const strangers = [addressOf(0x2000), addressOf(0x2001), addressOf(0x100)]
  const senders = SENDER_KEYS.map(({ address }) => address)
  const addresses = [...contracts, ...contracts, ...senders, ...precompiles, ...strangers, COINBASE]
  const accounts = new Map<Address, StateAccount>()
  const codes = new Map<string, Uint8Array>()
  const storage = new Map<string, Uint8Array>()
  const nonces = new Map<Address, bigint>()
  const addCode = (code: Uint8Array): Uint8Array => {
    const hash = keccak256(code)
    codes.set(hashFromBytes(hash), code)
    return hash
  }
  for (const address of senders) {
    const nonce = BigInt(random.below(3))
    const delegated = random.chance(0.15)
    const code = delegated
      ? concatBytes(Uint8Array.of(0xef, 1, 0), addressToBytes(random.pick(contracts)))
      : NONE
    nonces.set(address, nonce)
    accounts.set(address, { nonce, balance: 10n ** 20n, codeHash: addCode(code) })
  }
  for (const address of contracts) {
    const codeHash = addCode(generateProgram(random, addresses))
    accounts.set(address, {
      nonce: 1n,
      balance: random.chance(0.5) ? random.word() % 10n ** 18n : 0n,
      codeHash,
    })
    for (let slot = 0; slot < SLOTS; slot++) {
      if (random.chance(0.4)) storage.set(address + slot, slotOf(1 + random.below(200)))
    }
  }
  if (random.chance(0.3)) accounts.set(strangers[0]!, { nonce: 0n, balance: 7n, codeHash: addCode(NONE) })
  if (random.chance(0.3)) accounts.set(COINBASE, { nonce: 0n, balance: 1n, codeHash: addCode(NONE) })
  // An empty account, as there were before Spurious Dragon, and one with storage only where a creation will go.
  if (random.chance(0.3)) accounts.set(strangers[1]!, { nonce: 0n, balance: 0n, codeHash: addCode(NONE) })
  if (random.chance(0.2)) {
    const place = createAddress(senders[0]!, nonces.get(senders[0]!)!)
    accounts.set(place, { nonce: 0n, balance: 1n, codeHash: addCode(NONE), hasStorage: random.chance(0.5) })
  }
  accounts.set(DESTROYER, { nonce: 1n, balance: 9n, codeHash: addCode(DESTROYER_CODE) })
  accounts.set(BEACON_ROOTS, { nonce: 1n, balance: 0n, codeHash: addCode(BEACON_ROOTS_CODE) })
  return {
    systemTargets: [
      ...contracts,
      BEACON_ROOTS,
      BEACON_ROOTS,
      strangers[0]!,
      addressOf(4),
      addressOf(9),
      DESTROYER,
    ],
    senders: SENDER_KEYS,
    contracts,
    addresses,
    nonces,
    state: {
      account: (address) => accounts.get(addressFromBytes(address)),
      storage: (address, slot) =>
        slot.subarray(0, 31).some((byte) => byte !== 0)
          ? undefined
          : storage.get(addressFromBytes(address) + slot[31]),
      code: (hash) => codes.get(hashFromBytes(hash)),
      blockHash: (number) =>
        number % 3n === 0n ? undefined : keccak256(Uint8Array.of(Number(number & 255n))),
    },
  }
}

const NONE = new Uint8Array(0)
/** EIP-4788. */
const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' as Address
const BEACON_ROOTS_CODE = parseData(
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff81069081' +
    '5414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
)
