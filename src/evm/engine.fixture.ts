// A small state in memory, rules by name and transactions by their differences, for the tests of this room.
import { type Address, parseAddress } from '#types/address.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import type { FeeMarketFields } from '#types/transaction/transaction.ts'
import type { BlockEnvironment, EngineTransaction } from './engine.ts'
import { type Rules, rulesAt } from './rules.ts'
import { createStateLookup, type StateLookup, type StateSource } from './state-lookup.ts'

export const SENDER = parseAddress('0x1000000000000000000000000000000000000001')
export const OTHER = parseAddress('0x2000000000000000000000000000000000000002')
export const CONTRACT = parseAddress('0xc000000000000000000000000000000000000003')
export const COINBASE = parseAddress('0xb000000000000000000000000000000000000004')
export const ETHER = 10n ** 18n

export interface FixtureAccount {
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

export function bytes(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

export function word(value: number): Uint8Array {
  return bytes(value.toString(16).padStart(64, '0'))
}

/** Storage by slots and values in 64 digits. */
export function stateOf(accounts: Readonly<Record<string, FixtureAccount>>): StateLookup {
  return createStateLookup(sourceOf(accounts))
}

export function sourceOf(accounts: Readonly<Record<string, FixtureAccount>>): StateSource {
  const codes = new Map<string, Uint8Array>()
  const hashes = new Map<string, Uint8Array>()
  for (const [address, { code = '' }] of Object.entries(accounts)) {
    const hash = keccak256(bytes(code))
    codes.set(formatDigits(hash), bytes(code))
    hashes.set(address, hash)
  }
  const find = (address: Uint8Array) => `0x${formatDigits(address)}`
  return {
    account: (address) => {
      const account = accounts[find(address)]
      if (account === undefined) return undefined
      const { balance = 0n, nonce = 0n, storage } = account
      const hasStorage = storage !== undefined
      return { balance, nonce, codeHash: hashes.get(find(address))!, hasStorage }
    },
    storage: (address, slot) => {
      const value = accounts[find(address)]?.storage?.[formatDigits(slot)]
      return value === undefined ? undefined : bytes(value)
    },
    code: (hash) => codes.get(formatDigits(hash)),
    blockHash: (number) => word(Number(number)),
  }
}

export function configOf(config: object): GenesisConfig {
  const verdict = parseGenesis(
    JSON.stringify({ config: { chainId: 1, ...config }, difficulty: '0x1', gasLimit: '0x1' }),
  )
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return verdict.genesis.config
}

export function rulesOf(config: object): Rules {
  return rulesAt(configOf({ ethash: {}, ...config }), { number: 1n, timestamp: 1n, difficulty: 1n })
}

export const SHANGHAI = rulesOf({ shanghaiTime: 0 })

export const BLOCK: BlockEnvironment = {
  number: 1n,
  timestamp: 1n,
  gasLimit: 30_000_000n,
  coinbase: COINBASE,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
}

export function transaction(
  fields: Partial<Omit<FeeMarketFields, 'type'>> = {},
  sender: Address = SENDER,
): EngineTransaction {
  return {
    sender,
    transaction: {
      type: 2,
      chainId: 1n,
      nonce: 0n,
      gasLimit: 1_000_000n,
      to: OTHER,
      value: 0n,
      data: new Uint8Array(0),
      maxFeePerGas: 10n,
      maxPriorityFeePerGas: 1n,
      accessList: [],
      ...fields,
    },
  }
}
