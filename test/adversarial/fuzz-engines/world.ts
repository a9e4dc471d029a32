/** A small state with every kind of account, and the accounts that can send transactions. */

import type { StateSource } from '#evm/state-lookup.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { hashFromBytes } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'
import type { Random } from '../../support/random.ts'
import { generateProgram } from './program.ts'
import { realCode } from './real-code.ts'

export interface Sender {
  readonly key: Uint8Array
  readonly address: Address
}

export interface World {
  readonly senders: readonly Sender[]
  readonly contracts: readonly Address[]
  /** All addresses, including precompiles and missing accounts. */
  readonly addresses: readonly Address[]
  /** Targets of system calls: contracts made for them, other contracts, and accounts without code. */
  readonly systemTargets: readonly Address[]
  readonly accounts: ReadonlyMap<Address, WorldAccount>
  readonly state: StateSource
  readonly nonces: Map<Address, bigint>
}

const SENDERS = 4
const CONTRACTS = 5
const PRECOMPILES = 0x12
const SLOTS = [0, 1, 2, 3, 4, 5]
/** Creates an account with one wei that destroys itself in its own favour; only system calls reach it. */
const DESTROYER = '0xdddddddddddddddddddddddddddddddddddddddd' as Address
const DESTROYER_CODE = Uint8Array.from(Buffer.from('6130ff5f526002601e6001f0', 'hex'))
/** Creates a contract from the call data twice with CREATE2: the second creation collides. */
export const FACTORY = '0xfafafafafafafafafafafafafafafafafafafafa' as Address
const FACTORY_CODE = parseData('0x36600060003760003660006000f55060003660006001f5')
/**
 * Few inputs, so later transactions reuse the same addresses: an empty contract, one that stays, one that destroys
 * itself, one that fails.
 */
export const FACTORY_INPUTS = ['0x', '0x60016000556001600081f3', '0x33ff', '0x60016000fd'].map((code) =>
  parseData(code),
)
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

function create2Address(creator: Address, initCode: Uint8Array): Address {
  const parts = [Uint8Array.of(0xff), addressToBytes(creator), new Uint8Array(32), keccak256(initCode)]
  return addressFromBytes(keccak256(concatBytes(...parts)).subarray(12))
}

export function slotOf(number: number): Uint8Array {
  const slot = new Uint8Array(32)
  slot[31] = number
  return slot
}

export interface WorldAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly code: Uint8Array
  readonly codeHash: Uint8Array
  /** Storage by slot; slots are below 256. */
  readonly storage: ReadonlyMap<number, Uint8Array>
}

export function createWorld(random: Random, { hasDelegations = true } = {}): World {
  const contracts = Array.from({ length: CONTRACTS }, (_, index) => addressOf(0x1000 + index))
  const precompiles = Array.from({ length: PRECOMPILES }, (_, index) => addressOf(index + 1))
  const strangers = [addressOf(0x2000), addressOf(0x2001), addressOf(0x100)]
  const senders = SENDER_KEYS.map(({ address }) => address)
  const addresses = [...contracts, ...contracts, ...senders, ...precompiles, ...strangers, COINBASE, FACTORY]
  const accounts = new Map<Address, WorldAccount>()
  const put: Put = (address, { nonce = 0n, balance = 0n, code = NONE, slots = [] }) => {
    const storage = new Map(slots.map((slot) => [slot, slotOf(1 + random.below(200))]))
    accounts.set(address, { nonce, balance, code, codeHash: keccak256(code), storage })
  }
  for (const address of senders) {
    const delegation = concatBytes(Uint8Array.of(0xef, 1, 0), addressToBytes(random.pick(contracts)))
    const code = random.chance(0.15) && hasDelegations ? delegation : NONE
    put(address, { nonce: BigInt(random.below(3)), balance: 10n ** 20n, code })
  }
  for (const address of contracts) {
    const slots = SLOTS.filter(() => random.chance(0.4))
    const balance = random.chance(0.5) ? random.word() % 10n ** 18n : 0n
    const code = random.chance(0.15) ? realCode(random) : generateProgram(random, addresses)
    put(address, { nonce: 1n, balance, code, slots })
  }
  const nonces = new Map(senders.map((address) => [address, accounts.get(address)!.nonce]))
  putStrangers(random, put, strangers, createAddress(senders[0]!, nonces.get(senders[0]!)!))
  put(DESTROYER, { nonce: 1n, balance: 9n, code: DESTROYER_CODE })
  put(BEACON_ROOTS, { nonce: 1n, code: BEACON_ROOTS_CODE })
  put(FACTORY, { nonce: 1n, balance: 9n, code: FACTORY_CODE })
  const others = [BEACON_ROOTS, BEACON_ROOTS, strangers[0]!, addressOf(4), addressOf(9), DESTROYER]
  const systemTargets = [...contracts, ...others]
  return {
    systemTargets,
    senders: SENDER_KEYS,
    contracts,
    addresses,
    accounts,
    nonces,
    state: stateOf(accounts),
  }
}

type Put = (
  address: Address,
  fields: { nonce?: bigint; balance?: bigint; code?: Uint8Array; slots?: readonly number[] },
) => void

/** Accounts with little or no content, also at addresses of later creations. */
function putStrangers(random: Random, put: Put, strangers: readonly Address[], created: Address): void {
  if (random.chance(0.3)) put(strangers[0]!, { balance: 7n })
  if (random.chance(0.3)) put(COINBASE, { balance: 1n })
  // An empty account, as existed before Spurious Dragon.
  if (random.chance(0.3)) put(strangers[1]!, {})
  const kinds = [
    { balance: 1n },
    { balance: 1n, slots: [0] },
    { nonce: 1n },
    { nonce: 1n, code: FACTORY_CODE },
  ]
  if (random.chance(0.2)) put(created, random.pick(kinds))
  if (random.chance(0.3)) put(create2Address(FACTORY, random.pick(FACTORY_INPUTS)), random.pick(kinds))
}

function stateOf(accounts: ReadonlyMap<Address, WorldAccount>): StateSource {
  const codes = new Map([...accounts.values()].map(({ code, codeHash }) => [hashFromBytes(codeHash), code]))
  return {
    account: (address) => {
      const account = accounts.get(addressFromBytes(address))
      return account && { ...account, hasStorage: account.storage.size > 0 }
    },
    storage: (address, slot) => {
      const isHigh = slot.subarray(0, 31).some((byte) => byte !== 0)
      return isHigh ? undefined : accounts.get(addressFromBytes(address))?.storage.get(slot[31]!)
    },
    code: (hash) => codes.get(hashFromBytes(hash)),
    blockHash,
  }
}

export function blockHash(number: bigint): Uint8Array | undefined {
  return number % 3n === 0n ? undefined : keccak256(Uint8Array.of(Number(number & 255n)))
}

const NONE = new Uint8Array(0)
/** EIP-4788. */
export const BEACON_ROOTS = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' as Address
const BEACON_ROOTS_CODE = parseData(
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff81069081' +
    '5414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
)
