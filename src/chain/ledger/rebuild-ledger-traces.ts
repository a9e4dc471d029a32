/** Rebuilds missing call trees for a command that has exclusive access to the ledger. */

import { createChainView } from '#chain/read/create-chain-view.ts'
import { type RebuildResult, rebuildTraces } from '#chain/write/rebuild-traces.ts'
import { usageFault } from '#config/faults.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { type Ledger, openLedger } from './ledger.ts'

export interface RebuildRun {
  readonly log: Log
  /** Called after every batch with the lowest finished block. */
  readonly onProgress: (from: number) => void
  readonly isStopped: () => boolean
}

export async function rebuildLedgerTraces(
  ledger: Ledger,
  { log, onProgress, isStopped }: RebuildRun,
): Promise<RebuildResult> {
  const { genesis, writer } = ledger
  const store = await openLedger(ledger, log.child('store'))
  try {
    if (store.head() === undefined) {
      throw usageFault('There is no chain yet: the database is empty. Start the node or import blocks first.')
    }
    const engine = await chooseEngine(writer.engine, log, { forks: genesis.config.forks })
    const chain = createChainView({ store, genesis, keccak: loadFastKeccak() })
    return await rebuildTraces({ store, chain, engine, onProgress, isStopped })
  } finally {
    await store.close()
  }
}
