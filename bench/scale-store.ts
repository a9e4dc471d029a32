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
import { MIN_HISTORY_BLOCKS, openStore } from '#store/open-store.ts'
import type { StorageFormat } from '#store/store.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import { extend } from './bench-chain.ts'
import { type Kind, Workload } from './import-workload.ts'

export const ACCOUNTS = 10_000
export const BLOCK_TRANSACTIONS = 100
/** The least that a store keeps. */
const HISTORY_BLOCKS = MIN_HISTORY_BLOCKS
/**
 * Blocks before the first measurement. After them, the store prunes states, and every block writes as many trie nodes as
 * in a long chain.
 */
export const WARM_BLOCKS = 320

export async function tellStoreGrowth(transactions: number): Promise<void> {
  console.log(
    `\nBytes on disk for each of ${transactions} transactions, ${BLOCK_TRANSACTIONS} in a block, ${ACCOUNTS} accounts, compacted`,
  )
  console.log('| Store | Calls kept | Transfers | ERC-20 |')
  console.log('|---|---|---|---|')
  for (const format of ['FOREST', 'BONSAI'] as const) {
    for (const keepCallTrees of [true, false]) {
      const bytes: string[] = []
      for (const kind of ['transfers', 'ERC-20 transfers'] as const) {
        bytes.push((await growthOf(format, keepCallTrees, kind, transactions)).toFixed(0))
      }
      console.log(`| ${nameOf(format)} | ${keepCallTrees ? 'yes' : 'no'} | ${bytes.join(' | ')} |`)
    }
  }
}

export function nameOf(format: StorageFormat): string {
  return format === 'FOREST' ? 'archive (FOREST)' : `pruned (BONSAI, ${HISTORY_BLOCKS} blocks)`
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
    const chain = await open(folder, format, keepCallTrees, workload)
    const blocks = Math.ceil(count / BLOCK_TRANSACTIONS)
    await grow(chain, workload, kind, WARM_BLOCKS)
    const before = await compactedSize(chain, folder)
    await grow(chain, workload, kind, blocks)
    const after = await compactedSize(chain, folder)
    await chain.close()
    return (after - before) / (blocks * BLOCK_TRANSACTIONS)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds blocks and returns the hashes of their transactions. */
export async function grow(chain: Chain, workload: Workload, kind: Kind, blocks: number): Promise<Hash[]> {
  const hashes: Hash[] = []
  for (let block = 0; block < blocks; block++) {
    const made = workload.transactions(kind, BLOCK_TRANSACTIONS)
    await extend(chain, made)
    hashes.push(...made.map(({ hash }) => hash))
  }
  return hashes
}

/** The chain stays open, because closing it writes trie nodes before they are due, which would count. */
export async function compactedSize({ store }: Chain, folder: string): Promise<number> {
  await store.settled()
  await store.kv.compact(Uint8Array.of(0), Uint8Array.of(255))
  return sizeOf(folder)
}

export async function open(
  folder: string,
  format: StorageFormat,
  keepCallTrees: boolean,
  workload: Workload,
): Promise<Chain> {
  const genesis = workload.filledGenesis()
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
  const chain = await createChain({
    store,
    genesis,
    genesisHash,
    crypto,
    clock: systemClock,
    log,
    engine,
    traceStoreEnabled: keepCallTrees,
  })
  // LevelDB drops overwritten entries only when it merges tables, so later compactions need one to merge with.
  await compactedSize(chain, folder)
  return chain
}

export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
