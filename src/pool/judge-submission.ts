/** Checks of a transaction that do not depend on other transactions, in Besu's order. */
import type { Address } from '#types/address.ts'
import type { PoolCore } from './core/pool-core.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import type { SenderAccount } from './core/sender-queue.ts'
import type { PoolChain } from './pool-chain.ts'
import type { PoolSettings } from './read-settings.ts'
import {
  type Rejection,
  reject,
  type SubmittedTransaction,
  type TransactionOrigin,
} from './submitted-transaction.ts'

export interface JudgingParts {
  readonly core: PoolCore
  readonly chain: PoolChain
  readonly settings: PoolSettings
  /** Reads the account from the chain again. */
  refresh(sender: Address): SenderAccount
}

/** The verdicts of the allowlist and of plugins. */
export interface Permission {
  readonly isPermitted: boolean
  /** Why a plugin refuses the transaction; undefined if none does. */
  readonly refusal?: string | undefined
}

/** Returns true or the reason for the refusal, one for each transaction. */
export type JudgeAdmission = (
  submissions: readonly SubmittedTransaction[],
  origin: TransactionOrigin,
) => Promise<readonly (true | string)[]>

export function permissionsOf(
  permitted: readonly boolean[],
  verdicts?: readonly (true | string)[],
): readonly Permission[] {
  return permitted.map((isPermitted, index) => {
    const verdict = verdicts?.[index]
    return typeof verdict === 'string' ? { isPermitted, refusal: verdict } : { isPermitted }
  })
}

/** Returns the sender's account if every check passes. */
export function judgeSubmission(
  { transaction, hasPriority }: PoolEntry,
  { isPermitted, refusal }: Permission,
  { core, chain, settings, refresh }: JudgingParts,
): SenderAccount | Rejection {
  const { hash, sender, nonce, maxFeePerGas, maxCostWei } = transaction
  if (core.get(hash) !== undefined) {
    return reject('TRANSACTION_ALREADY_KNOWN', 'The transaction is in the pool already.')
  }
  const floor = hasPriority ? leastWithPriority(chain) : settings.minGasPriceWei
  if (maxFeePerGas < floor) {
    const sentence = `The transaction pays at most ${maxFeePerGas} wei per gas, and this node takes ${floor} or more.`
    return reject('GAS_PRICE_TOO_LOW', sentence)
  }
  if (refusal !== undefined) return reject('PLUGIN_REFUSED', refusal)
  if (!isPermitted) {
    return reject('TX_SENDER_NOT_AUTHORIZED', `The account ${sender} may not send this transaction.`)
  }
  let account = core.sender(sender)?.account ?? chain.account(sender)
  // The account may have received funds since the pool read it.
  if (settings.checksBalance && account.balance < maxCostWei) account = refresh(sender)
  if (nonce < account.nonce) {
    return reject('NONCE_TOO_LOW', `The nonce is ${nonce}, and the account is at ${account.nonce}.`)
  }
  if (account.hasCode) {
    return reject('SENDER_HAS_CODE', 'The sender has code, and a contract cannot sign.')
  }
  if (settings.checksBalance && account.balance < maxCostWei) {
    const sentence = `The transaction costs up to ${maxCostWei} wei, and the account has ${account.balance}.`
    return reject('UPFRONT_COST_EXCEEDS_BALANCE', sentence)
  }
  return account
}

/** The minimum fee for priority transactions: 1 wei if the chain has a base fee. */
function leastWithPriority(chain: PoolChain): bigint {
  return (chain.nextBlock().baseFeePerGas ?? 0n) > 0n ? 1n : 0n
}
