/**
 * The rules of one block: the active forks and the settings of the network's genesis file. Engines and block
 * execution see a schedule only through this value. Equal rules are the same object, so engines can cache derived
 * values by it.
 */
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { type BlobParameters, FORK_NAMES, FORKS, type ForkName } from '#types/genesis/fork-schedule.ts'
import type { BftConfig, BftTransition } from '#types/genesis/genesis-bft.ts'
import { blobParametersOf, EVM_STACK_SIZE, type GenesisConfig } from '#types/genesis/genesis-config.ts'
import type { SidecarVersion } from '#types/transaction/blob-sidecar.ts'
import { MAX_INITCODE_BYTES, type TransactionRules } from '#types/transaction/transaction-validate.ts'
import { evmFault } from './faults.ts'

/** EIP-170. The limit of init code does not follow `contractSizeLimit`, as in Besu. */
export const MAX_CODE_BYTES = 24_576
/** Extra gas of a callee that receives value; SSTORE fails with no more than this left (EIP-2200). */
export const CALL_STIPEND = 2_300n
/** EIP-7594, from Osaka on. */
const MAX_BLOBS_PER_TRANSACTION = 6
/** Besu uses 1 if a genesis file has no chain id. */
const DEFAULT_CHAIN_ID = 1n

/** The last fork that engines know. Later ones in a schedule are refused when they are reached. */
const LAST_FORK = FORKS.findLast(({ code }) => code !== undefined)!.name

export interface Rules {
  /** The latest active fork. */
  readonly fork: ForkName
  readonly chainId: bigint
  /** Maximum bytes of deployed code, from Spurious Dragon on. */
  readonly maxCodeBytes: number
  readonly blobs: BlobParameters | undefined
  /** Decides about rewards and system calls. */
  readonly consensus: 'work' | 'stake' | 'bft' | 'clique'
  /** The gas pricing from London on. */
  readonly feeMarket: FeeMarket
  readonly systemContracts: SystemContracts
  /** Whether blocks call system contracts from Cancun on. BFT networks do if their genesis file names all, as in Besu. */
  readonly hasSystemCalls: boolean
  has(fork: ForkName): boolean
}

/**
 * `market` is EIP-1559 and EIP-4844. `zero` (zeroBaseFee) and `fixed` (fixedBaseFee) have no blob market: BLOBBASEFEE
 * is 0, and headers of `fixed` end before the blob fields, as in Besu.
 */
export type FeeMarket = 'market' | 'zero' | 'fixed'

export interface SystemContracts {
  readonly beaconRoots: Address
  readonly blockHashes: Address
  readonly deposits: Address
  readonly withdrawalRequests: Address
  readonly consolidationRequests: Address
}

const STANDARD_CONTRACTS: SystemContracts = {
  beaconRoots: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02' as Address,
  blockHashes: '0x0000f90827f1c53a10cb7a02335b175320002935' as Address,
  deposits: '0x00000000219ab540356cbb839cbe05303d7705fa' as Address,
  withdrawalRequests: '0x00000961ef480eb55e80d19ad83579a64c007002' as Address,
  consolidationRequests: '0x0000bbddc7ce488642fb579f8b00f3a590007251' as Address,
}

/** The header fields that determine the rules. */
export interface RuledHeader {
  readonly number: bigint
  readonly timestamp: bigint
  readonly difficulty: bigint
}

const derived = new WeakMap<GenesisConfig, Map<ForkName, Rules>>()

export function rulesAt(config: GenesisConfig, header: RuledHeader): Rules {
  const byFork = derived.get(config) ?? new Map<ForkName, Rules>()
  derived.set(config, byFork)
  const fork = forkAt(config, header)
  const known = byFork.get(fork)
  if (known !== undefined) return known
  const rules = createRules(config, fork)
  byFork.set(fork, rules)
  return rules
}

/**
 * If a network reached proof of stake by total difficulty, a header without difficulty marks Paris; no block number
 * does.
 */
function forkAt(config: GenesisConfig, header: RuledHeader): ForkName {
  const scheduled = config.forks.ruleSetAt(header.number, header.timestamp).name
  const merged =
    config.terminalTotalDifficulty !== undefined && header.difficulty === 0n && header.number > 0n
  return merged && indexOf(scheduled) < indexOf('paris') ? 'paris' : scheduled
}

function createRules(config: GenesisConfig, fork: ForkName): Rules {
  assert(
    config.evmStackSize === EVM_STACK_SIZE,
    'A genesis with another stack size was refused when it was read.',
  )
  if (indexOf(fork) > indexOf(LAST_FORK)) {
    throw evmFault('UNSUPPORTED_FORK', {
      sentence: `The rules of ${fork} are not supported; remove it from the genesis file, or update Cairn.`,
      fork,
    })
  }
  const forks = FORK_NAMES.slice(0, indexOf(fork) + 1)
  const held = new Set(forks)
  return {
    fork,
    chainId: config.chainId ?? DEFAULT_CHAIN_ID,
    maxCodeBytes: config.contractSizeLimit ?? MAX_CODE_BYTES,
    blobs: blobParametersOf(config.blobSchedule, forks),
    consensus: consensusOf(config, held),
    feeMarket: config.zeroBaseFee ? 'zero' : config.fixedBaseFee ? 'fixed' : 'market',
    systemContracts: systemContractsOf(config),
    hasSystemCalls: consensusOf(config, held) !== 'bft' || namesSystemContracts(config),
    has: (name) => held.has(name),
  }
}

function consensusOf(config: GenesisConfig, held: ReadonlySet<ForkName>): Rules['consensus'] {
  switch (config.consensus.protocol) {
    case 'qbft':
    case 'ibft2':
    case 'ibft':
    case 'migration':
      return 'bft'
    case 'clique':
      return held.has('paris') ? 'stake' : 'clique'
    case 'ethash':
    case 'none':
      return held.has('paris') ? 'stake' : 'work'
  }
}

function namesSystemContracts(config: GenesisConfig): boolean {
  return (
    config.depositContractAddress !== undefined &&
    config.withdrawalRequestContractAddress !== undefined &&
    config.consolidationRequestContractAddress !== undefined
  )
}

function systemContractsOf(config: GenesisConfig): SystemContracts {
  return {
    ...STANDARD_CONTRACTS,
    deposits: config.depositContractAddress ?? STANDARD_CONTRACTS.deposits,
    withdrawalRequests: config.withdrawalRequestContractAddress ?? STANDARD_CONTRACTS.withdrawalRequests,
    consolidationRequests:
      config.consolidationRequestContractAddress ?? STANDARD_CONTRACTS.consolidationRequests,
  }
}

/** The values that the stateless transaction rules depend on. */
export function transactionRulesOf(rules: Rules): TransactionRules {
  const maxBlobs = rules.has('osaka') ? MAX_BLOBS_PER_TRANSACTION : rules.blobs?.max
  return {
    fork: rules.fork,
    chainId: rules.chainId,
    maxInitcodeBytes: rules.has('shanghai') ? MAX_INITCODE_BYTES : undefined,
    maxBlobs: Math.min(maxBlobs ?? 0, rules.blobs?.max ?? 0),
  }
}

/** EIP-7594: from Osaka on, blobs are proved cell by cell. */
export function sidecarVersionOf(rules: Rules): SidecarVersion {
  return rules.has('osaka') ? 1 : 0
}

export interface Payment {
  readonly beneficiary: Address
  readonly rewardWei: bigint
}

/**
 * On a BFT chain the genesis file may name a beneficiary and change it by transitions; the header still names the
 * proposer. On other chains the coinbase is paid, and rewards.ts defines the reward.
 */
export function bftPaymentAt(config: GenesisConfig, header: RuledHeader, proposer: Address): Payment {
  const bft = bftConfigAt(config, header.number)
  let beneficiary: Address | undefined = bft?.miningBeneficiary
  let rewardWei = bft?.blockRewardWei ?? 0n
  for (const transition of bftTransitionsAt(config, header)) {
    if (transition.miningBeneficiary === 'proposer') beneficiary = undefined
    else beneficiary = transition.miningBeneficiary ?? beneficiary
    rewardWei = transition.blockRewardWei ?? rewardWei
  }
  return { beneficiary: beneficiary ?? proposer, rewardWei }
}

/** The transitions in effect: all up to the latest one that is reached, because it inherits from those before it. */
export function bftTransitionsAt(
  config: GenesisConfig,
  header: Pick<RuledHeader, 'number' | 'timestamp'>,
): readonly BftTransition[] {
  const transitions = bftConfigAt(config, header.number)?.transitions ?? []
  const reached = transitions.findLastIndex(({ block }) => isReached(config, block, header))
  return transitions.slice(0, reached + 1)
}

function bftConfigAt({ consensus }: GenesisConfig, number: bigint): BftConfig | undefined {
  switch (consensus.protocol) {
    case 'qbft':
      return consensus.qbft
    case 'ibft2':
      return consensus.ibft2
    case 'migration':
      if (number >= consensus.startBlock) return consensus.qbft
      return consensus.past.protocol === 'ibft2' ? consensus.past.ibft2 : undefined
    default:
      return undefined
  }
}

/** A transition at a value that is reached by time counts seconds, not blocks, as in Besu. */
function isReached(
  config: GenesisConfig,
  from: bigint,
  header: Pick<RuledHeader, 'number' | 'timestamp'>,
): boolean {
  const byTime = config.forks.ruleSetAt(from, from).trigger === 'time'
  return (byTime ? header.timestamp : header.number) >= from
}

function indexOf(fork: ForkName): number {
  return FORK_NAMES.indexOf(fork)
}
