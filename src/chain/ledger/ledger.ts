import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import type { WriterConfig } from '#chain/writer/writer-protocol.ts'
import { usageFault } from '#config/faults.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import type { Store } from '#store/writer.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { hashToBytes } from '#types/hash.ts'

/** The ledger of a node that is not running, as commands open it. */
export interface Ledger {
  readonly genesis: Genesis
  readonly writer: WriterConfig
}

/** Opens the store of an existing ledger. */
export async function openLedger(
  { genesis, writer: { path, ledger, isDevelopment, isCopy, ...writer } }: Ledger,
  log: Log,
  historyBlocks = writer.historyBlocks,
): Promise<Store> {
  requireChainAt(path)
  const genesisHash = hashToBytes(genesisHashOf(genesis, loadFastKeccak()))
  const { forks } = genesis.config.forks
  const format = ledger.dataStorageFormat
  const { writes, otherGenesisRemedy } = writer
  const network = { genesisHash, forks, isDevelopment, isCopy, otherGenesisRemedy }
  return openStore({ path, format, historyBlocks, ...network, log, writes })
}

export function requireChainAt(path: string): void {
  if (kindOfPath(path) !== undefined) return
  throw usageFault(`There is no chain at ${path}; name the node's directory with --data-path.`)
}
