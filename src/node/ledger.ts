/** The ledger of this node: where it lies, which network it is of, and who writes it. */
import { join } from 'node:path'
import type { Ledger } from '#chain/ledger/ledger.ts'
import { ledgerOptions } from '#chain/options.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import type { Settings } from '#config/settings.ts'
import { type LoadedGenesis, loadNetwork } from './load-genesis.ts'
import { nodeOptions } from './options.ts'
import { refuseUnsafeOptions } from './validate-options.ts'

export const DATABASE_FOLDER = 'database'

/** What a reader needs to know; what it finds there says the rest. */
export function databaseOf(settings: Settings): Pick<WriterConfig, 'path' | 'historyBlocks'> {
  return {
    path: join(settings.get(nodeOptions.dataPath), DATABASE_FOLDER),
    historyBlocks: settings.get(ledgerOptions.bonsaiHistoricalBlockLimit),
  }
}

export function readLedgerSettings(settings: Settings, engine: string | undefined): Ledger {
  refuseUnsafeOptions(settings)
  const { genesis } = loadNetwork(settings)
  return { genesis: genesis.genesis, writer: readWriterConfig(settings, genesis, engine) }
}

/** `engine` is the value of CAIRN_ENGINE. */
export function readWriterConfig(
  settings: Settings,
  { text }: LoadedGenesis,
  engine: string | undefined,
): WriterConfig {
  return {
    genesisText: text,
    headerRulesModule: import.meta.resolve('#consensus/create-header-rules.ts'),
    ...databaseOf(settings),
    format: settings.get(ledgerOptions.dataStorageFormat),
    keepRevertReasons: settings.get(ledgerOptions.revertReasonEnabled),
    keepCallTrees: settings.get(ledgerOptions.traceStoreEnabled),
    reorgLoggingThreshold: settings.get(ledgerOptions.reorgLoggingThreshold),
    engine,
  }
}
