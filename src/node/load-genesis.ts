import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { readTextBounded } from '#platform/files.ts'
import { type Genesis, parseGenesis } from '#types/genesis.ts'
import { refuseConsensus } from '#types/genesis-consensus.ts'
import { formatGenesisFinding } from '#types/genesis-problems.ts'
import { NETWORK_IDS } from './networks.ts'
import { nodeOptions } from './options.ts'

/** Public genesis files reach 5 MB; private ones with large allocations some ten times that. */
export const MAX_GENESIS_BYTES = 64 * 1024 * 1024

/** The network this node is part of. A private one has a genesis file. */
export interface NetworkIdentity {
  readonly networkId: bigint
  readonly genesis: Genesis | undefined
}

export function loadNetwork(settings: Settings): NetworkIdentity {
  const file = settings.get(nodeOptions.genesisFile)
  const given = settings.get(nodeOptions.networkId)
  if (file === undefined) {
    return {
      networkId: given ?? NETWORK_IDS[settings.get(nodeOptions.network) ?? 'MAINNET'],
      genesis: undefined,
    }
  }
  const genesis = loadGenesis(file)
  return { networkId: given ?? genesis.config.chainId ?? 1n, genesis }
}

function loadGenesis(file: string): Genesis {
  const verdict = parseGenesis(readGenesisFile(file))
  if (verdict.ok) {
    const { consensus, terminalTotalDifficulty } = verdict.genesis.config
    const refusal = refuseConsensus(consensus, terminalTotalDifficulty !== undefined)
    if (refusal !== undefined) throw usageFault(`Unable to load genesis file. ${file}: ${refusal}`)
    return verdict.genesis
  }
  const findings = verdict.problems.map(formatGenesisFinding).join('\n')
  throw usageFault(`Unable to load genesis file. ${file} has mistakes:\n${findings}`)
}

function readGenesisFile(file: string): string {
  try {
    return readTextBounded(file, MAX_GENESIS_BYTES)
  } catch (cause) {
    throw usageFault(`Unable to load genesis file. ${(cause as Error).message}`, { cause })
  }
}
