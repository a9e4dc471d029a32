/** The networks whose blocks are mutated: every fork, fee market and protocol that a BFT network can have. */
import { type TestValidator, testNetwork, testValidators } from '#consensus/network.fixture.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'
import { SCHEDULABLE_FORKS } from '#types/genesis/fork-schedule.ts'
import type { Genesis } from '#types/genesis/genesis.ts'

export const VALIDATORS: readonly TestValidator[] = testValidators(4)
export const RICH_KEY = new Uint8Array(32).fill(99)
export const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', RICH_KEY))
/** A contract that emits one log. */
export const LOGGER = `0x${'33'.repeat(20)}` as typeof RICH
export const FIXED_FEE_WEI = 7n

export type Fees = 'none' | 'market' | 'zero' | 'fixed'

export interface BlockNetwork {
  readonly name: string
  readonly protocol: BftProtocol
  readonly fork: ForkName
  readonly fees: Fees
  readonly periodSeconds: number
  readonly genesis: Genesis
}

const FORKS = ['frontier', 'berlin', 'london', 'shanghai', 'cancun', 'prague', 'osaka'] as const
const FEES: readonly Fees[] = ['market', 'zero', 'fixed']
const PROTOCOLS: readonly BftProtocol[] = ['qbft', 'ibft2']
/** Enough gas for blocks of the maximum size. */
const GAS_LIMIT = '0x3b9aca00'
const ALLOC = {
  [RICH]: { balance: '0xffffffffffffffffffffff' },
  [LOGGER]: { balance: '0x0', code: '0x600760006000a100' },
}

export const NETWORKS: readonly BlockNetwork[] = PROTOCOLS.flatMap((protocol) => [
  ...FORKS.flatMap((fork) =>
    (hasFees(fork) ? FEES : (['none'] as const)).map((fees) => network(protocol, fork, fees)),
  ),
  network(protocol, 'london', 'zero', { xblockperiodmilliseconds: 500 }),
])

function hasFees(fork: ForkName): boolean {
  return fork !== 'frontier' && fork !== 'berlin'
}

function network(
  protocol: BftProtocol,
  fork: (typeof FORKS)[number],
  fees: Fees,
  period: { readonly xblockperiodmilliseconds?: number } = {},
): BlockNetwork {
  const last = SCHEDULABLE_FORKS.findIndex(({ name }) => name === fork)
  const unscheduled = { berlinBlock: undefined, londonBlock: undefined, zeroBaseFee: undefined }
  const forks = SCHEDULABLE_FORKS.slice(0, last + 1).map(({ key }) => [key, 0] as const)
  const config = {
    ...unscheduled,
    ...Object.fromEntries(forks),
    ...(fees === 'zero' && { zeroBaseFee: true }),
    ...(fees === 'fixed' && { fixedBaseFee: true }),
    [protocol]: { blockperiodseconds: 1, ...period },
  }
  const isBrief = period.xblockperiodmilliseconds !== undefined
  return {
    name: [protocol, fork, ...(fees === 'none' ? [] : [fees]), ...(isBrief ? ['500 ms'] : [])].join(' '),
    protocol,
    fork,
    fees,
    periodSeconds: isBrief ? 0 : 1,
    genesis: testNetwork(config, VALIDATORS, ALLOC, GAS_LIMIT),
  }
}
