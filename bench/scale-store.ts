/** Disk bytes per transaction, in an archive store and in a pruned store. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { type Chain, createChain } from '#chain/write/create-chain.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import type { StorageFormat } from '#store/store.ts'
import { hashToBytes } from '#types/hash.ts'
import { extend } from './bench-chain.ts'
import { type Kind, Workload } from './import-workload.ts'

export const ACCOUNTS = 10_000
export const BLOCK_TRANSACTIONS = 100
/** Few enough that older states are removed during the run. */
const HISTORY_BLOCKS = 16
/** Transactions before the first measurement: the genesis block and new accounts are not counted. */
const WARM = 5_000

export async function tellStoreGrowth(transactions: number): Promise<void> {
  console.log(
    `\nBytes on disk for each of ${transactions} transactions, ${BLOCK_TRANSACTIONS} in a block, ${ACCOUNTS} accounts`,
  )
  console.log('| Store | Calls kept | Transfers | ERC-20 |')
  console.log('|---|---|---|---|')
  for (const format of ['FOREST', 'BONSAI'] as const) {
    for (const keepCallTrees of [true, false]) {
      const bytes: string[] = []
      for (const kind of ['transfers', 'ERC-20 transfers'] as const) {
        bytes.push((await growthOf(format, keepCallTrees, kind, transactions)).toFixed(0))
      }
      const name = format === 'FOREST' ? 'archive (FOREST)' : `pruned (BONSAI, ${HISTORY_BLOCKS} blocks)`
      console.log(`| ${name} | ${keepCallTrees ? 'yes' : 'no'} | ${bytes.join(' | ')} |`)
    }
  }
}

async function growthOf(
  format: StorageFormat,
  keepCallTrees: boolean,
  kind: Kind,
  count: number,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-scale-'))
  try {
    const workload = new Workload(ACCOUNTS, await loadCrypto())
    const grow = async (transactions: number): Promise<number> => {
      // Closes the chain in between, so all data is on disk.
      const chain = await open(folder, format, keepCallTrees, workload)
      for (let made = 0; made < transactions; made += BLOCK_TRANSACTIONS) {
        await extend(chain, workload.transactions(kind, BLOCK_TRANSACTIONS))
      }
      await chain.close()
      return sizeOf(folder)
    }
    const before = await grow(WARM)
    return ((await grow(count)) - before) / count
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function open(
  folder: string,
  format: StorageFormat,
  keepCallTrees: boolean,
  { genesis }: Workload,
): Promise<Chain> {
  const crypto = await loadCrypto()
  const log = createLog({ level: 'ERROR', fd: 2 })
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const store = await openStore({
    path: join(folder, 'database'),
    format,
    historyBlocks: HISTORY_BLOCKS,
    genesisHash: hashToBytes(genesisHash),
    forks: genesis.config.forks.forks,
    log,
  })
  const engine = await chooseEngine(process.env.CAIRN_ENGINE, log)
  return createChain({
    store,
    genesis,
    genesisHash,
    crypto,
    clock: systemClock,
    log,
    engine,
    traceStoreEnabled: keepCallTrees,
  })
}

export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
