import { nullable, number, object, record, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { AddressText, QuantityText } from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { ForkIds } from '#chain/read/fork-id.ts'
import { precompilesOf } from '#evm/precompiles.ts'
import { type Rules, rulesAt } from '#evm/rules.ts'
import { assert } from '#types/assert.ts'
import type { Fork } from '#types/genesis/fork-schedule.ts'
import { formatQuantity } from '#types/hex.ts'

const ForkConfig = object({
  activationBlock: number().optional(),
  activationTime: number().optional(),
  blobSchedule: object({ baseFeeUpdateFraction: number(), max: number(), target: number() }).optional(),
  chainId: QuantityText.nullable(),
  forkId: string().regex(/^0x[0-9a-f]{8}$/),
  precompiles: record(string(), AddressText),
  systemContracts: record(string(), AddressText).optional(),
}).meta({ title: 'fork configuration' })

export default defineMethod({
  name: 'eth_config',
  summary: 'The current fork rules, the next ones and the last scheduled ones (EIP-7910).',
  needs: ['chain', 'node'],
  params: {},
  result: object({ current: ForkConfig, next: nullable(ForkConfig), last: nullable(ForkConfig) }),
  run: ({ chain, node }) => presentForkConfigs(chain, BigInt(Math.floor(node.wallMs() / 1_000))),
})

/** In the order of their addresses: 1 to 0x11, and 0x100. */
const PRECOMPILE_NAMES = [
  'ECREC',
  'SHA256',
  'RIPEMD160',
  'ID',
  'MODEXP',
  'BN254_ADD',
  'BN254_MUL',
  'BN254_PAIRING',
  'BLAKE2F',
  'KZG_POINT_EVALUATION',
  'BLS12_G1ADD',
  'BLS12_G1MSM',
  'BLS12_G2ADD',
  'BLS12_G2MSM',
  'BLS12_PAIRING_CHECK',
  'BLS12_MAP_FP_TO_G1',
  'BLS12_MAP_FP2_TO_G2',
  'P256VERIFY',
]
/** Besu's answer for a network without blobs. */
const NO_BLOBS = { baseFeeUpdateFraction: 0, max: 6, target: 0 }
const FAR_BLOCK = 2n ** 63n

/** By wall time, not by the head. Without a future fork there is neither a next nor a last one. */
function presentForkConfigs(chain: ChainView, wallSeconds: bigint) {
  const { forks } = chain.genesis.config.forks
  const { header } = chain.head()
  const current = chain.genesis.config.forks.ruleSetAt(header.number + 1n, wallSeconds)
  const coming = forks.filter(({ trigger, from }) => trigger === 'time' && from > wallSeconds)
  const next = coming[0]
  return {
    current: presentFork(chain, current),
    next: next === undefined ? null : presentFork(chain, next),
    last: next === undefined ? null : presentFork(chain, forks.at(-1)!),
  }
}

function presentFork(chain: ChainView, fork: Fork) {
  const { config } = chain.genesis
  const shanghai = config.forks.scheduledFrom('shanghai') ?? 0n
  const isTimed = fork.from >= shanghai
  const place = isTimed ? { number: FAR_BLOCK, timestamp: fork.from } : { number: fork.from, timestamp: 0n }
  const rules = rulesAt(config, { ...place, difficulty: 0n })
  const genesis = chain.lookup.header(0)
  assert(genesis !== undefined, 'A chain that is read has block 0.')
  return {
    ...(isTimed ? { activationTime: Number(fork.from) } : { activationBlock: Number(fork.from) }),
    blobSchedule:
      fork.from >= (config.forks.scheduledFrom('cancun') ?? 0n) ? blobScheduleOf(rules) : undefined,
    chainId: config.chainId === undefined ? null : formatQuantity(config.chainId),
    forkId: new ForkIds(genesis.hash, genesis.header.timestamp, config.forks).at(place).hash,
    precompiles: precompileNames(rules),
    systemContracts: systemContractsOf(rules),
  }
}

function blobScheduleOf({ blobs }: Rules) {
  if (blobs === undefined) return NO_BLOBS
  const { baseFeeUpdateFraction, max, target } = blobs
  return { baseFeeUpdateFraction, max, target }
}

function precompileNames(rules: Rules): Record<string, string> {
  const named = [...precompilesOf(rules)].map((address, index) => {
    const name = Number(address) === 0x100 ? 'P256VERIFY' : PRECOMPILE_NAMES[index]!
    return [name, address] as const
  })
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Contracts that the protocol calls; BFT networks have none. */
function systemContractsOf({ systemContracts, consensus, has }: Rules): Record<string, string> | undefined {
  if (consensus === 'bft' || !has('cancun')) return undefined
  const cancun = { BEACON_ROOTS_ADDRESS: systemContracts.beaconRoots }
  if (!has('prague')) return cancun
  return {
    ...cancun,
    CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: systemContracts.consolidationRequests,
    DEPOSIT_CONTRACT_ADDRESS: systemContracts.deposits,
    HISTORY_STORAGE_ADDRESS: systemContracts.blockHashes,
    WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: systemContracts.withdrawalRequests,
  }
}
