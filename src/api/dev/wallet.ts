/** The accounts that the node signs for, on the development network only: their keys are public. */
import type { Crypto } from '#evm/crypto.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Address } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'

export interface Wallet {
  accounts(): readonly Address[]
  has(account: Address): boolean
  /** Throws NO_ACCOUNT_FOUND for other accounts. */
  signTransaction(from: Address, unsigned: UnsignedTransaction): Transaction
  /** Signs bytes as a message (EIP-191), so that the signature fits no transaction. */
  signMessage(from: Address, message: Uint8Array): string
  signDigest(from: Address, digest: Uint8Array): string
}

const MESSAGE_PREFIX = '\x19Ethereum Signed Message:\n'
/** v of a signature is 27 or 28. */
const V_OFFSET = 27

export function openWallet(
  keys: readonly string[],
  { keccak, sign }: Pick<Crypto, 'keccak' | 'sign'>,
): Wallet {
  const keyOf = new Map(
    keys.map((text) => {
      const key = parseData(text)
      return [addressFromPublicKey(publicKeyFromPrivate('secp256k1', key), keccak), key] as const
    }),
  )
  const requireKey = (from: Address): Uint8Array => {
    const key = keyOf.get(from)
    if (key !== undefined) return key
    throw rpcFault('NO_ACCOUNT_FOUND', {
      data: `The node does not sign for ${from}; eth_accounts lists its accounts.`,
    })
  }
  const signDigest = (from: Address, digest: Uint8Array): string => {
    const signature = sign(requireKey(from), digest).slice()
    signature[64]! += V_OFFSET
    return formatData(signature)
  }
  return {
    accounts: () => [...keyOf.keys()],
    has: (account) => keyOf.has(account),
    signTransaction: (from, unsigned) => signTransaction(unsigned, requireKey(from), keccak, sign),
    signMessage: (from, message) => {
      const prefix = new TextEncoder().encode(`${MESSAGE_PREFIX}${message.length}`)
      return signDigest(from, keccak(concatBytes(prefix, message)))
    },
    signDigest,
  }
}
