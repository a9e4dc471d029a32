/** The gas of a transaction before its first instruction: for its kind, its bytes and its lists. */
import { type ForkName, includesFork } from '#types/genesis/fork-schedule.ts'
import type { UnsignedTransaction } from './transaction.ts'

/** The base cost of every transaction, and the total of the cheapest. */
export const TRANSACTION_GAS = 21_000
/** From Homestead on. */
const CREATION_GAS = 32_000
const ZERO_BYTE_GAS = 4
const NON_ZERO_BYTE_GAS_FRONTIER = 68
/** EIP-2028. */
const NON_ZERO_BYTE_GAS_ISTANBUL = 16
/** EIP-2930. */
const ACCESS_LIST_ADDRESS_GAS = 2_400
const ACCESS_LIST_KEY_GAS = 1_900
/** EIP-3860, per 32 bytes begun. */
const INITCODE_WORD_GAS = 2
/** EIP-7702; a part of it is refunded if the account exists. */
const AUTHORIZATION_GAS = 25_000
/** EIP-7623: a zero byte is one token, another byte four. */
const FLOOR_TOKEN_GAS = 10
const TOKENS_PER_NON_ZERO_BYTE = 4

export function intrinsicGas(transaction: UnsignedTransaction, fork: ForkName): bigint {
  const { data, to } = transaction
  const nonZeroByteGas = includesFork(fork, 'istanbul')
    ? NON_ZERO_BYTE_GAS_ISTANBUL
    : NON_ZERO_BYTE_GAS_FRONTIER
  const zeroBytes = countZeroBytes(data)
  let gas = TRANSACTION_GAS + zeroBytes * ZERO_BYTE_GAS + (data.length - zeroBytes) * nonZeroByteGas
  if (to === null && includesFork(fork, 'homestead')) gas += CREATION_GAS
  if (to === null && includesFork(fork, 'shanghai')) gas += Math.ceil(data.length / 32) * INITCODE_WORD_GAS
  if (transaction.type !== 0) {
    for (const { storageKeys } of transaction.accessList) {
      gas += ACCESS_LIST_ADDRESS_GAS + storageKeys.length * ACCESS_LIST_KEY_GAS
    }
  }
  if (transaction.type === 4) gas += transaction.authorizationList.length * AUTHORIZATION_GAS
  return BigInt(gas)
}

/** EIP-7623: the minimum gas that a transaction pays in total; 0 before Prague. */
export function floorGas(transaction: UnsignedTransaction, fork: ForkName): bigint {
  if (!includesFork(fork, 'prague')) return 0n
  const { data } = transaction
  const zeroBytes = countZeroBytes(data)
  const tokens = zeroBytes + (data.length - zeroBytes) * TOKENS_PER_NON_ZERO_BYTE
  return BigInt(TRANSACTION_GAS + tokens * FLOOR_TOKEN_GAS)
}

/** The minimum gas limit of a transaction in a block. */
export function minGasLimit(transaction: UnsignedTransaction, fork: ForkName): bigint {
  const intrinsic = intrinsicGas(transaction, fork)
  const floor = floorGas(transaction, fork)
  if (floor > intrinsic) return floor
  return intrinsic
}

function countZeroBytes(data: Uint8Array): number {
  let count = 0
  for (let index = 0; index < data.length; index++) if (data[index] === 0) count++
  return count
}
