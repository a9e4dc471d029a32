/** The workload of bench/pool.ts: signed transfers of ether and of a token, from a hundred senders in turn. */
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { type Address, addressToBytes, parseAddress } from '#types/address.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { ERC20_CODE } from './erc20-code.ts'

export type PoolKind = 'transfers' | 'ERC-20'

export const POOL_CHAIN_ID = 1337
export const TOKEN_ADDRESS = parseAddress('70'.repeat(20))
const SENDERS = 100
const BALANCE = 10n ** 24n
const TRANSFER = parseData('0xa9059cbb')
/** Above the first base fee of every target. */
const FEES = { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n, accessList: [] }
const GAS = { transfers: 21_000n, 'ERC-20': 80_000n } as const

interface Sender {
  readonly key: Uint8Array
  readonly address: Address
}

const senders: readonly Sender[] = Array.from({ length: SENDERS }, (_, index) => {
  const key = bigintToBytes(BigInt(index + 1_000), 32)
  return { key, address: addressFromPublicKey(publicKeyFromPrivate('secp256k1', key)) }
})

/** The accounts of the genesis file: the senders, and the token that they hold. */
export async function poolAlloc(): Promise<
  Record<string, { balance: string; code?: string; storage?: object }>
> {
  const { keccak } = await loadCrypto()
  const word = (value: bigint): string => formatData(bigintToBytes(value, 32))
  const storage = Object.fromEntries(
    senders.map(({ address }) => [balanceSlot(address, keccak), word(BALANCE)]),
  )
  const accounts = senders.map(({ address }) => [address, { balance: `0x${BALANCE.toString(16)}` }])
  return {
    ...Object.fromEntries(accounts),
    [TOKEN_ADDRESS]: { balance: '0x0', code: `0x${ERC20_CODE}`, storage },
  }
}

/** balanceOf reads the mapping in slot 0. */
function balanceSlot(address: Address, keccak: Crypto['keccak']): string {
  return formatData(keccak(concatBytes(new Uint8Array(12), addressToBytes(address), new Uint8Array(32))))
}

/** Nonces start at 0, because every run has its own chain. */
export function signWorkload(kind: PoolKind, count: number, from = 0): Transaction[] {
  return Array.from({ length: count }, (_, index) => signOne(kind, from + index))
}

export function recipientOf(index: number): Uint8Array {
  return bigintToBytes(BigInt(index) * 7_919n + 10n ** 15n, 20)
}

/** The index determines the sender and its nonce. */
export function signOne(kind: PoolKind, index: number): Transaction {
  const { key } = senders[index % SENDERS]!
  const recipient = recipientOf(index)
  const isToken = kind === 'ERC-20'
  return signTransaction(
    {
      type: 2,
      chainId: BigInt(POOL_CHAIN_ID),
      nonce: BigInt(Math.floor(index / SENDERS)),
      gasLimit: GAS[kind],
      to: isToken ? TOKEN_ADDRESS : parseAddress(formatData(recipient)),
      value: isToken ? 0n : 1n,
      data: isToken
        ? concatBytes(TRANSFER, new Uint8Array(12), recipient, bigintToBytes(1n, 32))
        : new Uint8Array(0),
      ...FEES,
    },
    key,
  )
}

export function requestOf({ encoded }: Transaction, id: number): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"eth_sendRawTransaction","params":["${formatData(encoded)}"]}`
}
