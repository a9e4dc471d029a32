/** Block rewards, paid in addition to fees. */

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
 * The proposer's reward first, then one per ommer. Proof of work pays by fork, and a part of it for ommers. Other
 * networks pay the configured reward, often nothing.
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
    // A credit of zero would leave an empty account before Spurious Dragon.
    if (wei > 0n) session.credit(address, wei)
  }
}

/** Returns the beneficiary of a block. `signer` is the Clique signer, whom the header does not name. */
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
