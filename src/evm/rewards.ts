/** What makers of blocks are paid beside fees. */
import type { Address } from '#types/address.ts'
import type { EngineSession } from './engine.ts'
import type { Payment, Rules } from './rules.ts'

const ETHER = 10n ** 18n

interface Ommer {
  readonly number: bigint
  readonly coinbase: Address
}

/** Proof of work: a reward by fork and a part of it for ommers. Elsewhere what the payment says, often nothing. */
export function payRewards(
  session: EngineSession,
  rules: Rules,
  payment: Payment,
  number: bigint,
  ommers: readonly Ommer[],
): void {
  if (rules.consensus !== 'work') {
    // Not a credit of zero, which would leave an empty account before Spurious Dragon.
    if (payment.rewardWei > 0n) session.credit(payment.beneficiary, payment.rewardWei)
    return
  }
  const reward = rewardOf(rules)
  for (const ommer of ommers) session.credit(ommer.coinbase, (reward * (8n + ommer.number - number)) / 8n)
  session.credit(payment.beneficiary, reward + (reward * BigInt(ommers.length)) / 32n)
}

function rewardOf(rules: Rules): bigint {
  if (rules.has('constantinople')) return 2n * ETHER
  return rules.has('byzantium') ? 3n * ETHER : 5n * ETHER
}
