/** Block rewards: what makers of blocks get beside fees. */

import type { EngineSession } from '#evm/engine.ts'
import { bftPaymentAt, type Payment, type RuledHeader, type Rules } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'

const ETHER = 10n ** 18n

interface Ommer {
  readonly number: bigint
  readonly coinbase: Address
}

export interface Reward {
  readonly address: Address
  readonly wei: bigint
}

/**
 * Of the maker of the block first, then one per ommer. Proof of work: a reward by fork and a part of it for ommers.
 * Elsewhere what the payment says, often nothing.
 */
export function rewardsOf(
  rules: Rules,
  payment: Payment,
  number: bigint,
  ommers: readonly Ommer[],
): readonly Reward[] {
  const { beneficiary } = payment
  if (rules.consensus !== 'work') return [{ address: beneficiary, wei: payment.rewardWei }]
  const reward = rewardOf(rules)
  return [
    { address: beneficiary, wei: reward + (reward * BigInt(ommers.length)) / 32n },
    ...ommers.map((ommer) => ({
      address: ommer.coinbase,
      wei: (reward * (8n + ommer.number - number)) / 8n,
    })),
  ]
}

export function payRewards(session: EngineSession, rewards: readonly Reward[]): void {
  for (const { address, wei } of rewards) {
    // Not a credit of zero, which would leave an empty account before Spurious Dragon.
    if (wei > 0n) session.credit(address, wei)
  }
}

/** Who is paid for a block; `signer`: where the header does not say it, as with clique. */
export function paymentOf(
  config: GenesisConfig,
  rules: Rules,
  header: RuledHeader & { readonly coinbase: Address },
  signer: Address | undefined,
): Payment {
  if (rules.consensus === 'bft') return bftPaymentAt(config, header, header.coinbase)
  return { beneficiary: signer ?? header.coinbase, rewardWei: 0n }
}

function rewardOf(rules: Rules): bigint {
  if (rules.has('constantinople')) return 2n * ETHER
  return rules.has('byzantium') ? 3n * ETHER : 5n * ETHER
}
