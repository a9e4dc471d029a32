import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { type DevAccount, devAccounts } from '#consensus/dev/dev-accounts.ts'
import { devGenesisText } from '#consensus/dev/dev-genesis.ts'
import { consensusOptions } from '#consensus/options.ts'
import { systemClock } from '#platform/clock.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { refuseCurve } from '#types/genesis/genesis-config.ts'
import { refuseConsensus } from '#types/genesis/genesis-consensus.ts'
import { refuseExtraData } from '#types/genesis/genesis-extra-data.ts'
import { formatGenesisFinding } from '#types/genesis/genesis-problems.ts'
import { PUBLIC_NETWORKS, type PublicNetwork } from './networks/public-networks.ts'
import { nodeOptions } from './options.ts'

/** Public genesis files reach 5 MB; private ones with large allocations about ten times that. */
export const MAX_GENESIS_BYTES = 64 * 1024 * 1024

export interface NetworkIdentity {
  readonly networkId: bigint
  readonly genesis: LoadedGenesis
  /** The funded accounts of --network=dev; undefined on other networks. */
  readonly devAccounts: readonly DevAccount[] | undefined
  /** The remedy if the database has another block 0; undefined if the block never changes. */
  readonly otherGenesisRemedy: string | undefined
}

/** The text crosses to other threads, because the parsed object cannot. */
export interface LoadedGenesis {
  readonly genesis: Genesis
  readonly text: string
}

/** `text` is the genesis file of an embedded node. The time decides about the genesis of some networks. */
export function loadNetwork(
  settings: Settings,
  text?: string,
  nowMs: number = systemClock.wallMs(),
): NetworkIdentity {
  const isDevelopment = text === undefined && settings.get(nodeOptions.network) === 'DEV'
  const accounts = isDevelopment ? devAccounts(settings.get(consensusOptions.devMnemonic)) : undefined
  const isCopy = settings.isGiven(nodeOptions.copyOf)
  if (isCopy && !isDevelopment) {
    throw usageFault('--copy-of needs --network=dev: a copy is only used as a development chain.')
  }
  if (isCopy && !settings.isGiven(nodeOptions.genesisFile)) {
    throw usageFault('--copy-of needs --genesis-file, the genesis file of the copied network.')
  }
  const genesis =
    accounts !== undefined && !isCopy
      ? toGenesis(devGenesisText(accounts), 'The development network')
      : text === undefined
        ? loadGenesis(settings, nowMs)
        : toGenesis(text, 'The genesis given')
  const networkId = settings.get(nodeOptions.networkId) ?? genesis.genesis.config.chainId ?? 1n
  const named = text === undefined ? publicNetworkOf(settings) : undefined
  return { networkId, genesis, devAccounts: accounts, otherGenesisRemedy: named?.otherGenesisRemedy }
}

function publicNetworkOf(settings: Settings): PublicNetwork | undefined {
  return PUBLIC_NETWORKS.get(settings.get(nodeOptions.network) ?? '')
}

function loadGenesis(settings: Settings, nowMs: number): LoadedGenesis {
  const network = publicNetworkOf(settings)
  if (network !== undefined) return toGenesis(network.genesisText(nowMs), network.title)
  const file = settings.get(nodeOptions.genesisFile)
  if (file === undefined) {
    throw usageFault(
      'No network is named: give its genesis file with --genesis-file, which cairn operator generate-blockchain-config makes, name a public network with --network, or start a development chain with --network=dev.',
    )
  }
  return toGenesis(readGenesisFile(file), file)
}

function toGenesis(text: string, file: string): LoadedGenesis {
  const verdict = parseGenesis(text)
  if (verdict.ok) {
    const { consensus, terminalTotalDifficulty } = verdict.genesis.config
    const refusal =
      refuseConsensus(consensus, terminalTotalDifficulty !== undefined) ?? refuseCurve(verdict.genesis.config)
    if (refusal !== undefined) throw usageFault(`Unable to load genesis file. ${file}: ${refusal}`)
    const extraData = refuseExtraData(verdict.genesis)
    if (extraData !== undefined) {
      throw usageFault(`Unable to load genesis file. ${file}: $.extraData: ${extraData}`)
    }
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
