/** The rules that a transaction keeps by itself, and who sent it: all that can be done before its block is executed. */
import type { Crypto } from '#evm/crypto.ts'
import type { EngineTransaction } from '#evm/engine.ts'
import { type Rules, transactionRulesOf } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Transaction } from '#types/transaction.ts'
import { recoverSender } from '#types/transaction-sender.ts'
import { validateTransaction } from '#types/transaction-validate.ts'
import { type InvalidBlock, invalidBlock } from './stages.ts'

export type PreparedTransactions =
  | { readonly ok: true; readonly transactions: readonly EngineTransaction[] }
  | InvalidBlock

/** `senders`, where another thread recovered them already. */
export function prepareTransactions(
  transactions: readonly Transaction[],
  rules: Rules,
  { recover, keccak }: Crypto,
  senders?: readonly Address[],
): PreparedTransactions {
  const ownRules = transactionRulesOf(rules)
  const prepared: EngineTransaction[] = []
  for (const [index, transaction] of transactions.entries()) {
    const verdict = validateTransaction(transaction, ownRules)
    if (!verdict.ok) return refuse(index, transaction, verdict.sentence)
    try {
      const sender = senders?.[index] ?? recoverSender(transaction, recover, keccak)
      prepared.push({ transaction, sender })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return refuse(index, transaction, error.data.sentence)
    }
  }
  return { ok: true, transactions: prepared }
}

function refuse(index: number, { hash }: Transaction, sentence: string): InvalidBlock {
  return invalidBlock('INVALID_TRANSACTION', `Transaction ${index}, ${hash}, is invalid. ${sentence}`)
}
