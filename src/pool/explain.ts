/** Explains in one sentence why a transaction waits and how to fix that. */
import type { BuildingSettings } from '#chain/build/building-settings.ts'
import type { Address } from '#types/address.ts'
import { effectiveGasPrice } from '#types/transaction/transaction-fees.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import type { SenderQueue } from './core/sender-queue.ts'
import type { NextBlock } from './pool-chain.ts'
import type { RememberedDrop } from './recent.ts'
import type { WaitReason } from './wait-reason.ts'

export interface Explanation {
  readonly state: 'pending' | 'queued'
  readonly reason: WaitReason
  /** Wall clock time. */
  readonly sinceMs: number
  readonly sentence: string
}

export type PoolExplanation =
  | ({
      readonly kind: 'waits'
      readonly sender: Address
      readonly nonce: bigint
      readonly arrivedAtMs: number
    } & Explanation)
  | ({ readonly kind: 'dropped' } & RememberedDrop)

export interface ExplainContext {
  readonly next: NextBlock
  readonly building: Pick<BuildingSettings, 'minGasPriceWei' | 'minPriorityFeeWei'>
  /** Number of pending transactions in the pool. */
  readonly pendingCount: number
  /** When the base fee rose above `fee`; undefined if it is not above. */
  aboveSinceMs(fee: bigint): number | undefined
  /** Whether the sender may send now. */
  readonly isPermitted: boolean
}

type Cause = Pick<Explanation, 'reason' | 'sinceMs' | 'sentence'>

export function explainEntry(entry: PoolEntry, sender: SenderQueue, context: ExplainContext): Explanation {
  const { nonce } = entry.transaction
  const { nextNonce } = sender
  if (nonce >= nextNonce) {
    const sentence = `It waits for the transaction with nonce ${nextNonce} of its sender, which is not in the pool. Send that transaction.`
    // The gap may be newer than the transaction; the drop of the predecessor was reported then.
    return { state: 'queued', reason: 'gap', sinceMs: entry.arrivedAtMs, sentence }
  }
  const own = causeOf(entry, sender, context)
  if (own !== undefined) return { state: 'pending', ...own }
  for (
    let before = sender.account.nonce;
    before < nonce && before < sender.account.nonce + MAX_LOOKED_AT;
    before++
  ) {
    const cause = causeOf(sender.get(before)!, sender, context)
    if (cause === undefined) continue
    const sentence = `It waits behind the transaction with nonce ${before} of its sender. ${cause.sentence}`
    return { state: 'pending', reason: 'behind', sinceMs: cause.sinceMs, sentence }
  }
  const { pendingCount } = context
  const sentence =
    pendingCount === 1
      ? 'Nothing blocks it: the next block of this node includes it.'
      : `Nothing blocks it: it is one of ${pendingCount} pending transactions, ordered by price and nonce.`
  return { state: 'pending', reason: 'turn', sinceMs: entry.arrivedAtMs, sentence }
}

/** Maximum predecessors examined. */
const MAX_LOOKED_AT = 1_000n

/** The cause in the transaction itself; undefined if there is none. */
function causeOf(entry: PoolEntry, sender: SenderQueue, context: ExplainContext): Cause | undefined {
  return priceCause(entry, context) ?? gasCause(entry, context) ?? stateCause(entry, sender, context)
}

function priceCause(entry: PoolEntry, { next, building, aboveSinceMs }: ExplainContext): Cause | undefined {
  const { maxFeePerGas } = entry.transaction
  const baseFee = next.baseFeePerGas ?? 0n
  const since = aboveSinceMs(maxFeePerGas)
  if (maxFeePerGas < baseFee) {
    const sentence = `It pays at most ${maxFeePerGas} wei per gas, but the base fee is ${baseFee}. Wait until the base fee falls, or replace it with a higher max fee.`
    return { reason: 'price', sinceMs: Math.max(since ?? 0, entry.arrivedAtMs), sentence }
  }
  if (entry.hasPriority) return undefined
  const price = effectiveGasPrice(entry.transaction, baseFee)
  const tip = price - baseFee
  const { minGasPriceWei, minPriorityFeeWei } = building
  if (price >= minGasPriceWei && tip >= minPriorityFeeWei) return undefined
  const sentence = `It pays ${price} wei per gas, ${tip} of it to the proposer, but this node requires ${minGasPriceWei} (--min-gas-price) and ${minPriorityFeeWei} (--min-priority-fee). Replace it with a higher price.`
  return { reason: 'price', sinceMs: entry.arrivedAtMs, sentence }
}

function gasCause(entry: PoolEntry, { next }: ExplainContext): Cause | undefined {
  const { gasLimit } = entry.transaction
  if (gasLimit > next.gasLimit) {
    const sentence = `Its gas limit ${gasLimit} exceeds the block gas limit ${next.gasLimit}. Replace it with a lower gas limit.`
    return { reason: 'gasLimit', sinceMs: entry.arrivedAtMs, sentence }
  }
  return undefined
}

function stateCause(entry: PoolEntry, sender: SenderQueue, context: ExplainContext): Cause | undefined {
  const { note, transaction } = entry
  const sinceMs = note?.sinceMs ?? entry.arrivedAtMs
  if (!context.isPermitted) {
    const sentence = `The account ${transaction.sender} may not send transactions. Ask the operator to add it to the accounts allowlist.`
    return { reason: 'permission', sinceMs, sentence }
  }
  if (sender.account.balance < transaction.maxCostWei) {
    const sentence = `It costs up to ${transaction.maxCostWei} wei, but its sender has ${sender.account.balance}. Fund the account, or replace the transaction.`
    return { reason: 'balance', sinceMs, sentence }
  }
  if (entry.timeouts > 0) {
    const sentence = `It ran longer than the time for a block, ${entry.timeouts} times. Split its work: it now runs after all others, and is dropped after further timeouts.`
    return { reason: 'slow', sinceMs, sentence }
  }
  return undefined
}
