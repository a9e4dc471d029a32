/**
 * What is wrong with a genesis file, all at once: values that cannot be read (genesis.ts) and values that
 * can be read but make no working network (the rules here). One mistake is one finding: a rule is silent
 * about values that already have an error.
 */
import { MIN_GAS_LIMIT } from '#types/block/block-header.ts'
import { draftGenesis, type GenesisDraft } from './genesis.ts'
import { protocolsOf, refuseConsensus } from './genesis-consensus.ts'
import type { GenesisFinding } from './genesis-problems.ts'
import { validateAlloc } from './genesis-validate-alloc.ts'
import { validateBft } from './genesis-validate-bft.ts'

/** EIP-2294: beyond it a legacy transaction's v leaves 64 bits. */
const MAX_CHAIN_ID = (2n ** 64n - 1n) / 2n - 36n
/** In seconds the year 5138; in milliseconds 1973. */
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

/** In the order in which they were found; empty for a file without fault. */
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
    // Without any config section that is the one mistake; below it nothing else is worth saying.
    problems.add(root.has('config') ? config.pathOf(key) : root.pathOf('config'), refusal)
  }
  const used = protocolsOf(consensus)
  for (const key of PROTOCOL_KEYS) {
    if (!config.has(key) || used.includes(key)) continue
    const sentence = `The protocol of this network is ${used.join(' and ')}, so that ${key} has no effect; remove one.`
    problems.add(config.pathOf(key), sentence)
  }
}

function validateChainId({ genesis, config, problems }: GenesisDraft): void {
  const { chainId } = genesis.config
  const path = config.pathOf('chainId')
  if (chainId === undefined) {
    problems.warn(
      path,
      'chainId is missing, so that the network has the id of mainnet, 1; choose one of your own.',
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
    const sentence = `A gas limit of ${gasLimit} is below ${MIN_GAS_LIMIT}, so that no block can follow; raise it.`
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
