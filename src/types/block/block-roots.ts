/** Header fields that commit to the rest of the block. */

import { type Hash, hashFromBytes } from '#types/hash.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import type { EncodedBody } from './block.ts'
import { type BlockHeader, encodeHeader } from './block-header.ts'
import { orderedTrieRoot } from './ordered-trie-root.ts'
import { encodeReceipt, type Receipt } from './receipt.ts'
import { encodeWithdrawal, type Withdrawal } from './withdrawal.ts'

export function transactionsRoot(transactions: readonly Transaction[], keccak: Keccak = keccak256): Hash {
  const values = transactions.map(({ encoded }) => encoded)
  return orderedTrieRoot(values, keccak)
}

export function receiptsRoot(receipts: readonly Receipt[], keccak: Keccak = keccak256): Hash {
  return orderedTrieRoot(receipts.map(encodeReceipt), keccak)
}

export function withdrawalsRoot(withdrawals: readonly Withdrawal[], keccak: Keccak = keccak256): Hash {
  return orderedTrieRoot(withdrawals.map(encodeWithdrawal), keccak)
}

export function ommersHash(ommers: readonly BlockHeader[], keccak: Keccak = keccak256): Hash {
  return hashFromBytes(keccak(encodeRlpList(ommers.map(encodeHeader))))
}

/**
 * Returns a check whether a header names this encoded body. The body is not decoded, so a peer that shows a true
 * header with a made-up body costs only the hash of the body.
 */
export function belongsTo(body: EncodedBody, keccak: Keccak): (header: BlockHeader) => boolean {
  const ofTransactions = orderedTrieRoot(body.transactions, keccak)
  const ofOmmers = hashFromBytes(keccak(body.ommers))
  const ofWithdrawals = body.withdrawals && orderedTrieRoot(body.withdrawals, keccak)
  return (header) =>
    header.transactionsRoot === ofTransactions &&
    header.ommersHash === ofOmmers &&
    header.withdrawalsRoot === ofWithdrawals
}

/** The ommers hash of a block without ommers, as every block from Paris on. */
export const EMPTY_OMMERS_HASH = ommersHash([])
