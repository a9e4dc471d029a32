/** Checks that need only the transaction itself, and sender recovery: everything possible before the block is executed. */

import { type InvalidBlock, invalidBlock } from '#chain/block/stages.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine, EngineTransaction } from '#evm/engine.ts'
import { type Rules, transactionRulesOf } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Refusal } from '#types/transaction/refusal.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { recoverSender, signingHash } from '#types/transaction/transaction-sender.ts'
import { type TransactionRules, validateTransaction } from '#types/transaction/transaction-validate.ts'

export type PreparedTransactions =
  | { readonly ok: true; readonly transactions: readonly EngineTransaction[] }
  | InvalidBlock

/** Recovers unknown senders for `prepareTransactions` if the engine can do so on other threads. */
export async function recoverSendersBeside(
  engine: Engine,
  transactions: readonly Transaction[],
  { keccak }: Crypto,
  known?: readonly (Address | undefined)[],
): Promise<readonly (Address | undefined)[] | undefined> {
  const missing = known === undefined ? transactions : transactions.filter((_, index) => !known[index])
  if (engine.recoverSenders === undefined || missing.length === 0) return known
  const recovered = await engine.recoverSenders(
    missing.map((transaction) => {
      const { r, s, yParity } = transaction
      return { digest: signingHash(transaction, keccak), r, s, yParity }
    }),
  )
  if (known === undefined) return recovered
  let next = 0
  return known.map((sender) => sender ?? recovered[next++])
}

export type PreparedTransaction =
  | { readonly ok: true; readonly prepared: EngineTransaction }
  | ({ readonly ok: false } & Refusal)

/** `sender` is given if it was recovered before. */
export function prepareTransaction(
  transaction: Transaction,
  ownRules: TransactionRules,
  { recover, keccak }: Crypto,
  sender?: Address,
): PreparedTransaction {
  const verdict = validateTransaction(transaction, ownRules)
  if (!verdict.ok) return verdict
  try {
    return {
      ok: true,
      prepared: { transaction, sender: sender ?? recoverSender(transaction, recover, keccak) },
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, reason: 'INVALID_SIGNATURE', sentence: error.data.sentence }
  }
}

/**
 * `senders` are given if another thread recovered them. A sender that it could not recover is tried again for the
 * reason.
 */
export function prepareTransactions(
  transactions: readonly Transaction[],
  rules: Rules,
  crypto: Crypto,
  senders?: readonly (Address | undefined)[],
): PreparedTransactions {
  const ownRules = transactionRulesOf(rules)
  const prepared: EngineTransaction[] = []
  for (const [index, transaction] of transactions.entries()) {
    const verdict = prepareTransaction(transaction, ownRules, crypto, senders?.[index])
    if (!verdict.ok) {
      const sentence = `Transaction ${index}, ${transaction.hash}, is invalid. ${verdict.sentence}`
      return invalidBlock('INVALID_TRANSACTION', sentence)
    }
    prepared.push(verdict.prepared)
  }
  return { ok: true, transactions: prepared }
}
