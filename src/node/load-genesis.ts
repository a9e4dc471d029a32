import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { readTextBounded } from '#platform/files.ts'
import { type Genesis, parseGenesis } from '#types/genesis.ts'
import { refuseCurve } from '#types/genesis-config.ts'
import { refuseConsensus } from '#types/genesis-consensus.ts'
import { formatGenesisFinding } from '#types/genesis-problems.ts'
import { NETWORK_IDS } from './networks.ts'
import { nodeOptions } from './options.ts'

/** Public genesis files reach 5 MB; private ones with large allocations some ten times that. */
export const MAX_GENESIS_BYTES = 64 * 1024 * 1024

/** The network this node is part of. A private one has a genesis file. */
export interface NetworkIdentity {
  readonly networkId: bigint
  /** undefined: a public network, of which Cairn has no genesis file built in; such a node has no chain. */
  readonly genesis: LoadedGenesis | undefined
}

/** Its text crosses to other threads, since what is made of it cannot. */
export interface LoadedGenesis {
  readonly genesis: Genesis
  readonly text: string
}

/** `text` is the genesis file of a node that is part of another program. */
export function loadNetwork(settings: Settings, text?: string): NetworkIdentity {
  const file = settings.get(nodeOptions.genesisFile)
  const given = settings.get(nodeOptions.networkId)
  const genesis = text === undefined ? file && loadGenesis(file) : toGenesis(text, 'The genesis given')
  if (!genesis) {
    const network = settings.get(nodeOptions.network) ?? 'MAINNET'
    return { networkId: given ?? NETWORK_IDS[network], genesis: undefined }
  }
  return { networkId: given ?? genesis.genesis.config.chainId ?? 1n, genesis }
}

function loadGenesis(file: string): LoadedGenesis {
  return toGenesis(readGenesisFile(file), file)
}

function toGenesis(text: string, file: string): LoadedGenesis {
  const verdict = parseGenesis(text)
  if (verdict.ok) {
    const { consensus, terminalTotalDifficulty } = verdict.genesis.config
    const refusal =
      refuseConsensus(consensus, terminalTotalDifficulty !== undefined) ?? refuseCurve(verdict.genesis.config)
    if (refusal !== undefined) throw usageFault(`Unable to load genesis file. ${file}: ${refusal}`)
    return { genesis: verdict.genesis, text }
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
