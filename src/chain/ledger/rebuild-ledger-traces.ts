/** Call trees of the ledger, for blocks that were imported without: of a command that has the ledger to itself. */

import { createChainView } from '#chain/read/create-chain-view.ts'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { type RebuildResult, rebuildTraces } from '#chain/write/rebuild-traces.ts'
import { usageFault } from '#config/faults.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Ledger } from './ledger.ts'

export interface RebuildRun {
  readonly log: Log
  /** After every batch: the lowest block that is done, and how many are left below it. */
  readonly onProgress: (from: number) => void
  readonly isStopped: () => boolean
}

export async function rebuildLedgerTraces(
  { genesis, writer }: Ledger,
  { log, onProgress, isStopped }: RebuildRun,
): Promise<RebuildResult> {
  const { path, format, historyBlocks } = writer
  if (kindOfPath(path) === undefined) {
    throw usageFault(`There is no chain at ${path}; name the node's directory with --data-path.`)
  }
  const { forks } = genesis.config.forks
  const [{ keccak }, engine] = await Promise.all([
    loadCrypto(),
    chooseEngine(writer.engine, log, { forks: genesis.config.forks }),
  ])
  const genesisHash = hashToBytes(genesisHashOf(genesis, keccak))
  const store = await openStore({ path, format, historyBlocks, genesisHash, forks, log: log.child('store') })
  try {
    if (store.head() === undefined) {
      throw usageFault('There is no chain yet: the database is empty. Start the node or import blocks first.')
    }
    const chain = createChainView({ store, genesis, keccak })
    return await rebuildTraces({ store, chain, engine, onProgress, isStopped })
  } finally {
    await store.close()
  }
}
