/** The node's ledger: its path, its network and its writer's configuration. */

import { resolve } from 'node:path'
import type { Ledger } from '#chain/ledger/ledger.ts'
import { ledgerOptions } from '#chain/options.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { databasePathOf } from '#config/data-directory.ts'
import type { Settings } from '#config/settings.ts'
import { engineOptions } from '#engine-api/options.ts'
import { readCredentials } from '#platform/object-store/s3-credentials.ts'
import type { ArchivePlace } from '#store/archive/archive-place.ts'
import { WriteCount } from '#store/kv/write-count.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { votingProtocols } from '#types/genesis/genesis-consensus.ts'
import { loadNetwork, type NetworkIdentity } from './load-genesis.ts'
import { PUBLIC_NETWORKS } from './networks/public-networks.ts'
import { nodeOptions } from './options.ts'
import { refuseUnsafeOptions } from './validate-options.ts'

/** The configuration of a reader; the database itself contains the rest. */
export function databaseOf(settings: Settings): Pick<WriterConfig, 'path' | 'historyBlocks'> {
  return {
    path: databasePathOf(settings),
    historyBlocks: settings.get(ledgerOptions.bonsaiHistoricalBlockLimit),
  }
}

export function readLedgerSettings(settings: Settings, engine: string | undefined): Ledger {
  refuseUnsafeOptions(settings)
  const network = loadNetwork(settings)
  return { genesis: network.genesis.genesis, writer: readWriterConfig(settings, network, engine) }
}

function archiveOf(settings: Settings): ArchivePlace | undefined {
  const url = settings.get(ledgerOptions.historyArchive)
  if (url === undefined) return undefined
  const credentialsFile = settings.get(ledgerOptions.historyArchiveCredentialsFile)
  // Found at the start rather than with the first segment.
  if (credentialsFile !== undefined) readCredentials(credentialsFile)
  return {
    url,
    region: settings.get(ledgerOptions.historyArchiveRegion),
    credentialsFile: credentialsFile && resolve(credentialsFile),
    cacheBytes: settings.get(ledgerOptions.historyCacheBytes),
  }
}

/** `engine` is the value of CAIRN_ENGINE. */
export function readWriterConfig(
  settings: Settings,
  { genesis, devAccounts, otherGenesisRemedy }: NetworkIdentity,
  engine: string | undefined,
): WriterConfig {
  return {
    genesisText: genesis.text,
    isDevelopment: devAccounts !== undefined,
    otherGenesisRemedy,
    startsAfterMerge: devAccounts === undefined && startsAfterMerge(settings, genesis.genesis),
    isCopy: settings.isGiven(nodeOptions.copyOf),
    headerRulesModule: import.meta.resolve('#consensus/create-header-rules.ts'),
    ...databaseOf(settings),
    writes: new WriteCount().memory,
    ledger: settings.all(ledgerOptions),
    archive: archiveOf(settings),
    engine,
  }
}

/** Whether the network was proof of work first, and is a public one or driven by a consensus client. */
function startsAfterMerge(settings: Settings, { config }: Genesis): boolean {
  const { consensus, terminalTotalDifficulty = 0n } = config
  if (terminalTotalDifficulty === 0n || votingProtocols(consensus).length > 0) return false
  return settings.get(engineOptions.enabled) || PUBLIC_NETWORKS.has(settings.get(nodeOptions.network) ?? '')
}
