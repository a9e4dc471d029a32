/** Whether the pool takes a transaction, but for its place among the others: in the order in which Besu asks. */
import type { Address } from '#types/address.ts'
import type { PoolCore } from './core/pool-core.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import type { SenderAccount } from './core/sender-queue.ts'
import type { PoolChain } from './pool-chain.ts'
import type { PoolSettings } from './pool-settings.ts'
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
  /** Reads the account again. */
  refresh(sender: Address): SenderAccount
}

/** What others say of it. */
export interface Permission {
  readonly isPermitted: boolean
  /** Why a plugin refuses it; undefined: it does not. */
  readonly refusal?: string | undefined
}

/** One verdict for each: true, or why it is refused. */
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

/** The account of the sender, where nothing is wrong. */
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
  // It may have been paid since.
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

/** Of a chain with a base fee, more than nothing. */
function leastWithPriority(chain: PoolChain): bigint {
  return (chain.nextBlock().baseFeePerGas ?? 0n) > 0n ? 1n : 0n
}
