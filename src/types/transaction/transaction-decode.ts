/** Decodes a transaction in the encoding of blocks and tries. */

import { type Address, addressFromRlp } from '#types/address.ts'
import { Fault, withFaultContext } from '#types/fault.ts'
import { hashFromBytes, hashFromRlp } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import {
  bytesFromRlp,
  DEFAULT_MAX_BYTES,
  decodeRlp,
  listFromRlp,
  type RlpItem,
  type RlpLimits,
  scalarFromRlp,
} from '#types/rlp.ts'
import { accessListFromRlp } from './access-list.ts'
import { authorizationFromRlp } from './authorization.ts'
import { MIN_PROTECTED_V, readPlainTransaction } from './plain-transaction.ts'
import {
  MAX_TRANSACTION_ITEMS,
  type Transaction,
  type TransactionSignature,
  type UnsignedTransaction,
} from './transaction.ts'

/**
 * A storage key is the deepest item: transaction, access list, entry, keys. Blocks of other nodes may contain longer
 * transactions than this node accepts.
 */
const LIMITS: RlpLimits = { maxDepth: 4, maxItems: MAX_TRANSACTION_ITEMS, maxBytes: DEFAULT_MAX_BYTES }

/** Decodes RLP, or a type from 1 to 4 and RLP. The result contains views of the input. */
export function decodeTransaction(encoded: Uint8Array, keccak: Keccak = keccak256): Transaction {
  return readPlainTransaction(encoded, keccak) ?? decodeAnyTransaction(encoded, keccak)
}

/** Decodes every form, and names the mistake in a malformed transaction. */
export function decodeAnyTransaction(encoded: Uint8Array, keccak: Keccak): Transaction {
  const context = 'Malformed transaction.'
  const [fields, signature] = withFaultContext('INVALID_TRANSACTION', context, () => decodeFields(encoded))
  return { ...fields, ...signature, hash: hashFromBytes(keccak(encoded)), encoded }
}

function decodeFields(encoded: Uint8Array): readonly [UnsignedTransaction, TransactionSignature] {
  const type = encoded[0] ?? 0
  if (type >= 0xc0) return decodeLegacy(listFromRlp(decodeRlp(encoded, LIMITS), 9))
  if (type === 0 || type > 4) {
    const sentence = 'Its first byte is neither a list prefix nor a type from 1 to 4.'
    throw new Fault('INVALID_TRANSACTION', { sentence })
  }
  return decodeTyped(type, decodeRlp(encoded.subarray(1), LIMITS))
}

function decodeLegacy(fields: readonly RlpItem[]): readonly [UnsignedTransaction, TransactionSignature] {
  const v = scalarFromRlp(fields[6]!)
  if (v !== 27n && v !== 28n && v < MIN_PROTECTED_V) {
    const sentence = `Its v is ${v}, which is neither 27 or 28 nor at least ${MIN_PROTECTED_V}.`
    throw new Fault('INVALID_TRANSACTION', { sentence })
  }
  const isProtected = v >= MIN_PROTECTED_V
  const transaction: UnsignedTransaction = {
    type: 0,
    chainId: isProtected ? (v - 35n) >> 1n : null,
    nonce: scalarFromRlp(fields[0]!, 8),
    gasPrice: scalarFromRlp(fields[1]!),
    gasLimit: scalarFromRlp(fields[2]!, 8),
    to: recipientFromRlp(fields[3]!),
    value: scalarFromRlp(fields[4]!),
    data: bytesFromRlp(fields[5]!),
  }
  // 27, 35 and every chain id add up to an odd number for parity 0.
  const yParity = (v & 1n) === 1n ? 0 : 1
  return [transaction, { yParity, r: scalarFromRlp(fields[7]!), s: scalarFromRlp(fields[8]!) }]
}

function decodeTyped(type: number, item: RlpItem): readonly [UnsignedTransaction, TransactionSignature] {
  switch (type) {
    case 1: {
      const fields = listFromRlp(item, 11)
      const transaction: UnsignedTransaction = {
        type: 1,
        chainId: scalarFromRlp(fields[0]!),
        nonce: scalarFromRlp(fields[1]!, 8),
        gasPrice: scalarFromRlp(fields[2]!),
        gasLimit: scalarFromRlp(fields[3]!, 8),
        to: recipientFromRlp(fields[4]!),
        value: scalarFromRlp(fields[5]!),
        data: bytesFromRlp(fields[6]!),
        accessList: accessListFromRlp(fields[7]!),
      }
      return [transaction, signatureFromRlp(fields, 8)]
    }
    case 2: {
      const fields = listFromRlp(item, 12)
      const to = recipientFromRlp(fields[5]!)
      return [{ type, ...feeMarketFromRlp(fields), to }, signatureFromRlp(fields, 9)]
    }
    case 3: {
      const fields = listFromRlp(item, 14)
      const transaction: UnsignedTransaction = {
        type: 3,
        ...feeMarketFromRlp(fields),
        to: addressFromRlp(fields[5]!),
        maxFeePerBlobGas: scalarFromRlp(fields[9]!),
        blobVersionedHashes: listFromRlp(fields[10]!).map(hashFromRlp),
      }
      return [transaction, signatureFromRlp(fields, 11)]
    }
    default: {
      const fields = listFromRlp(item, 13)
      const transaction: UnsignedTransaction = {
        type: 4,
        ...feeMarketFromRlp(fields),
        to: addressFromRlp(fields[5]!),
        authorizationList: listFromRlp(fields[9]!).map(authorizationFromRlp),
      }
      return [transaction, signatureFromRlp(fields, 10)]
    }
  }
}

/** The first nine items of types 2 to 4, except the recipient. */
function feeMarketFromRlp(fields: readonly RlpItem[]) {
  return {
    chainId: scalarFromRlp(fields[0]!),
    nonce: scalarFromRlp(fields[1]!, 8),
    maxPriorityFeePerGas: scalarFromRlp(fields[2]!),
    maxFeePerGas: scalarFromRlp(fields[3]!),
    gasLimit: scalarFromRlp(fields[4]!, 8),
    value: scalarFromRlp(fields[6]!),
    data: bytesFromRlp(fields[7]!),
    accessList: accessListFromRlp(fields[8]!),
  }
}

function signatureFromRlp(fields: readonly RlpItem[], at: number): TransactionSignature {
  const yParity = scalarFromRlp(fields[at]!)
  if (yParity > 1n) {
    throw new Fault('INVALID_TRANSACTION', { sentence: `Its parity is 0 or 1, and not ${yParity}.` })
  }
  return {
    yParity: yParity === 1n ? 1 : 0,
    r: scalarFromRlp(fields[at + 1]!),
    s: scalarFromRlp(fields[at + 2]!),
  }
}

function recipientFromRlp(item: RlpItem): Address | null {
  return item instanceof Uint8Array && item.length === 0 ? null : addressFromRlp(item)
}
