/** Why a transaction waits, in one sentence that says what would help. */
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
  /** By the clock on the wall. */
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
  /** How many are pending in all. */
  readonly pendingCount: number
  /** Since when the base fee has been above a fee; undefined: it is not. */
  aboveSinceMs(fee: bigint): number | undefined
  /** Whether its sender may send now. */
  readonly isPermitted: boolean
}

type Cause = Pick<Explanation, 'reason' | 'sinceMs' | 'sentence'>

export function explainEntry(entry: PoolEntry, sender: SenderQueue, context: ExplainContext): Explanation {
  const { nonce } = entry.transaction
  const { nextNonce } = sender
  if (nonce >= nextNonce) {
    const sentence = `It waits for the transaction with nonce ${nextNonce} of its sender, which the pool does not have: send it.`
    // The gap may have opened later than it came; then the one before it left, and its news said so.
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
      ? 'Nothing is in its way: the next block of this node takes it.'
      : `Nothing is in its way: it is one of ${pendingCount} pending transactions, and goes by its price and nonce.`
  return { state: 'pending', reason: 'turn', sinceMs: entry.arrivedAtMs, sentence }
}

/** Of those before it. Whoever has more of them waits for the first that is stuck, or for none. */
const MAX_LOOKED_AT = 1_000n

/** What is wrong with it alone; undefined: nothing. */
function causeOf(entry: PoolEntry, sender: SenderQueue, context: ExplainContext): Cause | undefined {
  return priceCause(entry, context) ?? gasCause(entry, context) ?? stateCause(entry, sender, context)
}

function priceCause(entry: PoolEntry, { next, building, aboveSinceMs }: ExplainContext): Cause | undefined {
  const { maxFeePerGas } = entry.transaction
  const baseFee = next.baseFeePerGas ?? 0n
  const since = aboveSinceMs(maxFeePerGas)
  if (maxFeePerGas < baseFee) {
    const sentence = `It pays at most ${maxFeePerGas} wei per gas, and the base fee is ${baseFee}: wait until that falls, or replace it with one that pays more.`
    return { reason: 'price', sinceMs: Math.max(since ?? 0, entry.arrivedAtMs), sentence }
  }
  if (entry.hasPriority) return undefined
  const price = effectiveGasPrice(entry.transaction, baseFee)
  const tip = price - baseFee
  const { minGasPriceWei, minPriorityFeeWei } = building
  if (price >= minGasPriceWei && tip >= minPriorityFeeWei) return undefined
  const sentence = `It pays ${price} wei per gas, ${tip} of it to the maker of the block, and this node asks for ${minGasPriceWei} (--min-gas-price) and ${minPriorityFeeWei} (--min-priority-fee): replace it with one that pays more.`
  return { reason: 'price', sinceMs: entry.arrivedAtMs, sentence }
}

function gasCause(entry: PoolEntry, { next }: ExplainContext): Cause | undefined {
  const { gasLimit } = entry.transaction
  if (gasLimit > next.gasLimit) {
    const sentence = `Its gas limit ${gasLimit} is above that of a block, ${next.gasLimit}: replace it with one that asks for less.`
    return { reason: 'gasLimit', sinceMs: entry.arrivedAtMs, sentence }
  }
  return undefined
}

function stateCause(entry: PoolEntry, sender: SenderQueue, context: ExplainContext): Cause | undefined {
  const { note, transaction } = entry
  const sinceMs = note?.sinceMs ?? entry.arrivedAtMs
  if (!context.isPermitted) {
    const sentence = `The account ${transaction.sender} may not send transactions: let it be put on the accounts allowlist.`
    return { reason: 'permission', sinceMs, sentence }
  }
  if (sender.account.balance < transaction.maxCostWei) {
    const sentence = `It costs up to ${transaction.maxCostWei} wei, and its sender has ${sender.account.balance}: send the account more, or replace it.`
    return { reason: 'balance', sinceMs, sentence }
  }
  if (entry.timeouts > 0) {
    const sentence = `The time for a block was up while it was running, ${entry.timeouts} times: it is tried after all others now, and dropped when that happens again often.`
    return { reason: 'slow', sinceMs, sentence }
  }
  return undefined
}
