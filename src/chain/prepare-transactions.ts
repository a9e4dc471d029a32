/** The rules that a transaction keeps by itself, and who sent it: all that can be done before its block is executed. */
import type { Crypto } from '#evm/crypto.ts'
import type { Engine, EngineTransaction } from '#evm/engine.ts'
import { type Rules, transactionRulesOf } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import type { Transaction } from '#types/transaction.ts'
import { recoverSender, signingHash } from '#types/transaction-sender.ts'
import { validateTransaction } from '#types/transaction-validate.ts'
import { type InvalidBlock, invalidBlock } from './stages.ts'

export type PreparedTransactions =
  | { readonly ok: true; readonly transactions: readonly EngineTransaction[] }
  | InvalidBlock

/** For `senders` below, by an engine that does it beside this thread; undefined by one that does not. */
export async function recoverSendersBeside(
  engine: Engine,
  transactions: readonly Transaction[],
  { keccak }: Crypto,
): Promise<readonly (Address | undefined)[] | undefined> {
  return engine.recoverSenders?.(
    transactions.map((transaction) => {
      const { r, s, yParity } = transaction
      return { digest: signingHash(transaction, keccak), r, s, yParity }
    }),
  )
}

/** `senders`, where another thread recovered them already; one that it found none for is tried again, for the reason. */
export function prepareTransactions(
  transactions: readonly Transaction[],
  rules: Rules,
  { recover, keccak }: Crypto,
  senders?: readonly (Address | undefined)[],
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
