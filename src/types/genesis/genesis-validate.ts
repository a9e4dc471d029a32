/**
 * Finds everything that is wrong with a genesis file: malformed values (genesis.ts) and values that make no working
 * network (the rules here). One mistake is one finding: a rule ignores values that already have an error.
 */

import type { Address } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { MIN_GAS_LIMIT } from '#types/block/block-header.ts'
import { MAX_UINT256 } from '#types/bytes.ts'
import { JsonNumber, JsonObject } from '#types/json/json-value.ts'
import { FORK_NAMES, FORKS, type ForkName } from './fork-schedule.ts'
import { draftGenesis, type GenesisDraft } from './genesis.ts'
import type { BftConfig } from './genesis-bft.ts'
import { protocolsOf, refuseConsensus } from './genesis-consensus.ts'
import { decodeGenesisValidators, HOW_TO_ENCODE } from './genesis-extra-data.ts'
import { type GenesisFinding, type GenesisProblems, joinPath } from './genesis-problems.ts'
import { addressFromShortHex, GenesisSection } from './genesis-section.ts'

/** EIP-2294: beyond it the v of a legacy transaction exceeds 64 bits. */
const MAX_CHAIN_ID = (2n ** 64n - 1n) / 2n - 36n
/** The year 5138 in seconds; 1973 in milliseconds. */
const IMPLAUSIBLE_TIMESTAMP = 100_000_000_000n

const PROTOCOL_KEYS = ['ethash', 'ibft2', 'ibft', 'qbft', 'clique']

const RULES: readonly ((draft: GenesisDraft) => void)[] = [
  validateProtocol,
  validateChainId,
  validateBaseFee,
  validateHeader,
  validateBft,
  validateAlloc,
]

/** Returns the findings in order; none for a valid file. */
export function validateGenesis(text: string): GenesisFinding[] {
  const draft = draftGenesis(text)
  for (const rule of RULES) rule(draft)
  return draft.problems.findings
}

function validateProtocol({ genesis, root, config, problems }: GenesisDraft): void {
  const { consensus, terminalTotalDifficulty } = genesis.config
  const refusal = refuseConsensus(consensus, terminalTotalDifficulty !== undefined)
  if (refusal !== undefined) {
    const key = consensus.protocol === 'none' ? 'qbft' : consensus.protocol
    // Without a config section, that is the only mistake worth reporting.
    problems.add(root.has('config') ? config.pathOf(key) : root.pathOf('config'), refusal)
  }
  const used = protocolsOf(consensus)
  for (const key of PROTOCOL_KEYS) {
    if (!config.has(key) || used.includes(key)) continue
    const sentence = `The protocol of this network is ${used.join(' and ')}: ${key} has no effect. Remove one.`
    problems.add(config.pathOf(key), sentence)
  }
}

function validateChainId({ genesis, config, problems }: GenesisDraft): void {
  const { chainId } = genesis.config
  const path = config.pathOf('chainId')
  if (chainId === undefined) {
    problems.warn(
      path,
      'chainId is missing: the network has chain id 1, like Ethereum mainnet. Choose your own.',
    )
  } else if (chainId === 0n) {
    problems.add(path, 'chainId must be above 0; choose a number that no other network uses.')
  } else if (chainId > MAX_CHAIN_ID) {
    problems.warn(
      path,
      `chainId is above ${MAX_CHAIN_ID}, which wallets and libraries refuse; choose a lower one.`,
    )
  }
}

function validateBaseFee({ genesis, config, problems }: GenesisDraft): void {
  const { forks, zeroBaseFee, fixedBaseFee } = genesis.config
  const { baseFeePerGas, timestamp } = genesis.header
  if (zeroBaseFee && fixedBaseFee) {
    const sentence = 'With zeroBaseFee, fixedBaseFee has no effect; remove one of them.'
    problems.warn(config.pathOf('fixedBaseFee'), sentence)
  }
  if (baseFeePerGas === undefined && forks.includes('london', 0n, timestamp)) {
    const sentence = 'London rules hold from block 0, but block 0 has no base fee; add "londonBlock": 0.'
    problems.warn(config.pathOf('londonBlock'), sentence)
  }
}

function validateHeader({ genesis, root, problems }: GenesisDraft): void {
  const { gasLimit, timestamp } = genesis.header
  if (gasLimit < MIN_GAS_LIMIT) {
    const sentence = `A gas limit of ${gasLimit} is below ${MIN_GAS_LIMIT}: the chain cannot grow. Raise it.`
    problems.add(
      root.pathOf(root.has('gasLimit') || !root.has('gasTarget') ? 'gasLimit' : 'gasTarget'),
      sentence,
    )
  }
  if (timestamp >= IMPLAUSIBLE_TIMESTAMP) {
    const sentence = 'The timestamp lies beyond the year 5000; give it in seconds, not in milliseconds.'
    problems.warn(root.pathOf('timestamp'), sentence)
  }
}

const TRANSITION_KEYS = ['qbft', 'ibft2', 'clique']

/** The rules of QBFT and IBFT 2.0 networks. */
function validateBft(draft: GenesisDraft): void {
  const { consensus } = draft.genesis.config
  switch (consensus.protocol) {
    case 'qbft':
      validateBftProtocol(draft, 'qbft', consensus.qbft)
      validateBlockZero(draft, 'qbft', consensus.qbft)
      break
    case 'ibft2':
      validateBftProtocol(draft, 'ibft2', consensus.ibft2)
      validateBlockZero(draft, 'ibft2', consensus.ibft2)
      break
    case 'migration': {
      validateBftProtocol(draft, 'qbft', consensus.qbft)
      const { past } = consensus
      if (past.protocol === 'ibft2') validateBftProtocol(draft, 'ibft2', past.ibft2)
      validateBlockZero(draft, past.protocol, past.protocol === 'ibft2' ? past.ibft2 : undefined)
      break
    }
  }
  validateUnusedTransitions(draft)
}

function validateBftProtocol(draft: GenesisDraft, protocol: BftProtocol, bft: BftConfig): void {
  const { config, problems } = draft
  const section =
    config.section(protocol) ?? new GenesisSection(config.pathOf(protocol), new JsonObject(), problems)
  const defaults = {
    blockperiodseconds: 'the block period is 1 s',
    epochlength: 'the epoch length is 30000 blocks',
    requesttimeoutseconds: 'the round timeout is 1 s',
  }
  for (const [key, effect] of Object.entries(defaults)) {
    if (section.value(key) !== undefined) continue
    problems.warn(section.pathOf(key), `${key} is missing: ${effect}. Set it explicitly.`)
  }
  const { blockPeriodSeconds, requestTimeoutSeconds } = bft
  const isPeriodBroken = problems.isBroken(section.pathOf('blockperiodseconds'))
  if (requestTimeoutSeconds < blockPeriodSeconds && !isPeriodBroken) {
    const sentence =
      `A round ends after ${requestTimeoutSeconds} s, sooner than the block period of ${blockPeriodSeconds} s; ` +
      'set it to twice the period.'
    problems.warn(section.pathOf('requesttimeoutseconds'), sentence)
  }
  validateContract(draft, section, bft)
  validateTransitions(draft, protocol)
}

function validateContract(draft: GenesisDraft, section: GenesisSection, bft: BftConfig): void {
  const { genesis, problems } = draft
  const contract = bft.validatorContractAddress
  if (contract === undefined || problems.isBroken('$.alloc')) return
  const path = section.pathOf('validatorcontractaddress')
  // A network that migrates may deploy the contract before QBFT starts.
  if (genesis.config.consensus.protocol === 'migration') return
  if ((genesis.alloc.get(contract)?.code.length ?? 0) > 0) return
  problems.add(path, `No account in alloc has code at ${contract}; put the validator contract there.`)
}

function validateTransitions({ config, problems }: GenesisDraft, protocol: BftProtocol): void {
  const parent = config.section('transitions')
  let previous = 0n
  parent?.list(protocol)?.forEach((value, index) => {
    if (!(value instanceof JsonObject)) return
    const section = new GenesisSection(joinPath(parent.pathOf(protocol), index), value, problems)
    const block = section.value('block')
    const number = block instanceof JsonNumber ? (block.toBigInt() ?? previous) : previous
    if (number < previous) {
      problems.warn(
        section.pathOf('block'),
        `Block ${number} comes after block ${previous}. Sort the transitions.`,
      )
    }
    previous = number
    const validators = section.list('validators') ?? []
    const parsed = validators.map((item) =>
      typeof item === 'string' ? addressFromShortHex(item) : undefined,
    )
    validateValidators(problems, section.pathOf('validators'), parsed)
  })
}

function validateUnusedTransitions({ genesis, config, problems }: GenesisDraft): void {
  const used = protocolsOf(genesis.config.consensus)
  const transitions = config.section('transitions')
  for (const key of TRANSITION_KEYS) {
    if (!transitions?.has(key) || used.includes(key)) continue
    const sentence = `These transitions have no effect: the protocol of this network is ${used.join(' and ')}.`
    problems.warn(transitions.pathOf(key), sentence)
  }
}

function validateBlockZero(
  draft: GenesisDraft,
  protocol: BftProtocol | 'ibft',
  bft: BftConfig | undefined,
): void {
  const { genesis, root, problems } = draft
  if (genesis.header.mixHash !== BFT_MIX_HASH) {
    problems.add(root.pathOf('mixHash'), `The mixHash of a BFT network must be ${BFT_MIX_HASH}; set it.`)
  }
  if (genesis.header.difficulty !== 1n) {
    problems.warn(
      root.pathOf('difficulty'),
      'Every block of a BFT network has difficulty 1; write "0x1" here too.',
    )
  }
  const path = root.pathOf('extraData')
  if (problems.isBroken(path)) return
  const validators = decodeGenesisValidators(protocol, genesis.header.extraData)
  if (typeof validators === 'string') {
    problems.add(path, validators)
    return
  }
  const isContractMode = bft?.validatorContractAddress !== undefined
  if (isContractMode && validators.length > 0) {
    const sentence =
      'The validators named here have no effect, because a contract names them; leave the list empty.'
    problems.warn(path, sentence)
  }
  const namesFirstSet = bft?.transitions.some(
    ({ block, validators: next }) => block === 1n && next !== undefined,
  )
  if (!isContractMode && validators.length === 0 && namesFirstSet !== true) {
    problems.add(path, `No validator is named: the chain cannot grow. ${HOW_TO_ENCODE}`)
  }
  validateValidators(problems, joinPath(path, 'validators'), validators)
}

function validateValidators(
  problems: GenesisProblems,
  path: string,
  validators: readonly (Address | undefined)[],
): void {
  const seen = new Set<Address>()
  validators.forEach((validator, index) => {
    if (validator === undefined) return
    const itemPath = joinPath(path, index)
    if (BigInt(validator) === 0n) {
      problems.add(itemPath, 'The zero address has no key and cannot validate; remove it.')
    } else if (seen.has(validator)) {
      problems.add(itemPath, `${validator} is named twice; remove it or name the validator that was meant.`)
    }
    seen.add(validator)
  })
}

const P256_VERIFY = 0x100n

function validateAlloc(draft: GenesisDraft): void {
  let sum = 0n
  const withCode = new Set<Address>()
  for (const [address, { balance, code }] of draft.genesis.alloc) {
    sum += balance
    if (code.length > 0) withCode.add(address)
  }
  if (sum > MAX_UINT256) {
    const sentence = 'All balances together exceed 2^256 - 1: a transfer may overflow. Lower them.'
    draft.problems.warn('$.alloc', sentence)
  }
  validatePrecompiles(draft, withCode)
}

function validatePrecompiles(
  { genesis, root, problems }: GenesisDraft,
  withCode: ReadonlySet<Address>,
): void {
  const alloc = root.value('alloc')
  if (withCode.size === 0 || !(alloc instanceof JsonObject)) return
  const lastFork = FORK_NAMES.indexOf(genesis.config.forks.forks.at(-1)?.name ?? 'frontier')
  const isScheduled = (fork: ForkName): boolean => FORK_NAMES.indexOf(fork) <= lastFork
  const lastLow = FORKS.findLast(
    ({ name, lastPrecompile }) => lastPrecompile !== undefined && isScheduled(name),
  )!.lastPrecompile!
  for (const key of alloc.keys()) {
    const address = addressFromShortHex(key)
    if (address === undefined || !withCode.has(address)) continue
    const number = BigInt(address)
    const isLow = number > 0n && number <= BigInt(lastLow)
    if (!isLow && !(number === P256_VERIFY && isScheduled('osaka'))) continue
    const sentence = 'A precompiled contract has this address: the code never runs. Use another address.'
    problems.warn(joinPath('$.alloc', key), sentence)
  }
}
