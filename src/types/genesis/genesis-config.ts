/** The `config` section of a genesis file: chain, forks and protocol. */
import type { Address } from '#types/address.ts'
import type { CurveName } from '#types/curve.ts'
import type { Hash } from '#types/hash.ts'
import {
  type BlobParameters,
  FORKS,
  type ForkName,
  ForkSchedule,
  formatForkDisorder,
  SCHEDULABLE_FORKS,
} from './fork-schedule.ts'
import { type GenesisConsensus, readConsensus } from './genesis-consensus.ts'
import { MAX_LONG, parseHexText } from './genesis-number.ts'
import type { GenesisSection } from './genesis-section.ts'

export interface GenesisConfig {
  /** Also the network id, unless an option overrides it. Besu uses 1 if it is absent. */
  readonly chainId: bigint | undefined
  readonly forks: ForkSchedule
  readonly consensus: GenesisConsensus
  readonly terminalTotalDifficulty: bigint | undefined
  readonly terminalBlockNumber: bigint | undefined
  readonly terminalBlockHash: Hash | undefined
  readonly blobSchedule: BlobSchedule
  /** Maximum bytes of deployed code; if undefined, the rule set decides. */
  readonly contractSizeLimit: number | undefined
  readonly evmStackSize: number
  readonly ecCurve: CurveName
  readonly zeroBaseFee: boolean
  readonly fixedBaseFee: boolean
  readonly depositContractAddress: Address | undefined
  readonly withdrawalRequestContractAddress: Address | undefined
  readonly consolidationRequestContractAddress: Address | undefined
  readonly discovery: GenesisDiscovery
  readonly checkpoint: GenesisCheckpoint | undefined
}

export type BlobSchedule = Readonly<Partial<Record<ForkName, BlobParameters>>>

/** Undefined if the file lacks the key: an empty list is the operator's choice, absence is not. */
export interface GenesisDiscovery {
  readonly dns: string | undefined
  readonly bootnodes: readonly string[] | undefined
  readonly v5Bootnodes: readonly string[] | undefined
}

export interface GenesisCheckpoint {
  readonly hash: Hash
  readonly number: bigint
  readonly totalDifficulty: bigint
}

export const EVM_STACK_SIZE = 1024

const BLOB_FORKS = FORKS.filter(({ blobs }) => blobs !== undefined).map(({ name }) => name)

const DEFAULT_BLOB_SCHEDULE: BlobSchedule = Object.fromEntries(
  FORKS.flatMap(({ name, blobs }) => (typeof blobs === 'object' ? [[name, blobs] as const] : [])),
)

export function readGenesisConfig(config: GenesisSection): GenesisConfig {
  return {
    chainId: config.decimal('chainId'),
    forks: readForks(config),
    consensus: readConsensus(config),
    terminalTotalDifficulty: config.decimal('terminalTotalDifficulty'),
    terminalBlockNumber: config.long('terminalBlockNumber'),
    terminalBlockHash: config.hash('terminalBlockHash'),
    blobSchedule: readBlobSchedule(config),
    contractSizeLimit: config.int('contractSizeLimit'),
    evmStackSize: readEvmStackSize(config),
    ecCurve: readCurve(config),
    zeroBaseFee: config.boolean('zeroBaseFee') ?? false,
    fixedBaseFee: config.boolean('fixedBaseFee') ?? false,
    depositContractAddress: config.address('depositContractAddress'),
    withdrawalRequestContractAddress: config.address('withdrawalRequestContractAddress'),
    consolidationRequestContractAddress: config.address('consolidationRequestContractAddress'),
    discovery: readDiscovery(config),
    checkpoint: readCheckpoint(config),
  }
}

/** The blob parameters of a rule set: those of the latest of its forks that has any. */
export function blobParametersOf(
  schedule: BlobSchedule,
  forks: readonly ForkName[],
): BlobParameters | undefined {
  const named = BLOB_FORKS.filter((fork) => forks.includes(fork) && schedule[fork] !== undefined).at(-1)
  return named === undefined ? undefined : schedule[named]
}

function readForks(config: GenesisSection): ForkSchedule {
  const from: Partial<Record<ForkName, bigint>> = {}
  for (const { name, key } of SCHEDULABLE_FORKS) {
    const value = config.long(forkKey(config, key))
    if (value !== undefined) from[name] = value
  }
  if (config.value('petersburgBlock') !== undefined && config.value('constantinopleFixBlock') !== undefined) {
    const sentence = 'petersburgBlock and constantinopleFixBlock are one fork; remove one of them.'
    config.refuse('constantinopleFixBlock', sentence)
  }
  const daoForkBlock = config.wholeNumber('daoForkBlock', -MAX_LONG, MAX_LONG) ?? 0n
  const schedule = new ForkSchedule(from, daoForkBlock > 0n ? daoForkBlock : undefined)
  for (const disorder of schedule.findDisorders()) {
    const row = SCHEDULABLE_FORKS.find(({ name }) => name === disorder.fork.name)
    config.refuse(forkKey(config, row?.key ?? ''), formatForkDisorder(disorder))
  }
  return schedule
}

/** Petersburg has a second name, from when it was the fix of Constantinople. */
function forkKey(config: GenesisSection, key: string): string {
  return key === 'petersburgBlock' && config.value(key) === undefined ? 'constantinopleFixBlock' : key
}

function readBlobSchedule(config: GenesisSection): BlobSchedule {
  const section = config.section('blobSchedule')
  const given = BLOB_FORKS.flatMap((fork): [ForkName, BlobParameters][] => {
    const parameters = section?.section(fork)
    if (parameters === undefined) return []
    const target = readBlobParameter(parameters, 'target', 0n)
    const max = readBlobParameter(parameters, 'max', 0n)
    const baseFeeUpdateFraction = readBlobParameter(parameters, 'baseFeeUpdateFraction', 1n)
    if (target > max) {
      parameters.refuse('target', `The target of ${target} blobs is above the maximum of ${max}; lower it.`)
    }
    return [[fork, { target, max, baseFeeUpdateFraction }]]
  })
  return { ...DEFAULT_BLOB_SCHEDULE, ...Object.fromEntries(given) }
}

function readBlobParameter(section: GenesisSection, key: string, min: bigint): number {
  const value = section.int(key, min)
  if (value !== undefined) return value
  if (section.value(key) === undefined)
    section.refuse(key, `${key} is missing; an entry needs all three values.`)
  // Values that never cause a second finding for the same mistake.
  return key === 'max' ? Number.MAX_SAFE_INTEGER : 0
}

/** Both engines support only the stack size of the yellow paper. */
function readEvmStackSize(config: GenesisSection): number {
  const size = config.int('evmStackSize') ?? EVM_STACK_SIZE
  if (size !== EVM_STACK_SIZE) {
    config.refuse(
      'evmStackSize',
      `An EVM stack of ${size} items is not supported; use ${EVM_STACK_SIZE} or remove it.`,
    )
  }
  return EVM_STACK_SIZE
}

function readCurve(config: GenesisSection): CurveName {
  const form = 'one of the valid elliptic curves [secp256k1, secp256r1]'
  const curve = config.string('ecCurve', form, (text) =>
    text === 'secp256k1' || text === 'secp256r1' ? text : undefined,
  )
  return curve ?? 'secp256k1'
}

function readDiscovery(config: GenesisSection): GenesisDiscovery {
  const section = config.section('discovery')
  const asIs = (text: string): string => text
  return {
    dns: section?.string('dns', 'an enrtree address in quotes', asIs),
    bootnodes: section?.strings('bootnodes', 'an enode address in quotes', asIs),
    v5Bootnodes: section?.strings('v5bootnodes', 'a node record in quotes', asIs),
  }
}

function readCheckpoint(config: GenesisSection): GenesisCheckpoint | undefined {
  const section = config.section('checkpoint')
  if (section === undefined) return undefined
  for (const key of ['hash', 'number', 'totalDifficulty']) {
    if (section.value(key) === undefined) {
      section.refuse(key, `${key} is missing; a checkpoint needs hash, number and totalDifficulty.`)
    }
  }
  const hash = section.hash('hash')
  const number = section.long('number')
  const totalDifficulty = section.string('totalDifficulty', 'a hex number in quotes', (text) =>
    parseHexText(text),
  )
  if (hash === undefined || number === undefined || totalDifficulty === undefined) return undefined
  return { hash, number, totalDifficulty }
}

/** Transactions and seals are verified on one curve; a node on another would refuse every block of its network. */
export function refuseCurve({ ecCurve }: Pick<GenesisConfig, 'ecCurve'>): string | undefined {
  if (ecCurve === 'secp256k1') return undefined
  return `Cairn runs networks whose keys are of secp256k1, and ecCurve says ${ecCurve}; take ecCurve out and make new keys, with cairn operator generate-blockchain-config.`
}
