/** Disk bytes per transaction and the CPU time of reads, with all blocks in the database and then in segments. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Lookup } from '#chain/read/lookup.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { RESTLESS } from '#chain/write/move-history.fixture.ts'
import { HistoryMover } from '#chain/write/move-history.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createLog } from '#platform/log/log.ts'
import { compactDatabase } from '#store/upkeep/compact-database.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { Random } from '../test/support/random.ts'
import { extend } from './bench-chain.ts'
import { type Kind, Workload } from './import-workload.ts'
import { ACCOUNTS, BLOCK_TRANSACTIONS, open, sizeOf } from './scale-store.ts'

const READS = 1_000

export async function tellSegments(transactions: number, sizes: readonly number[]): Promise<void> {
  console.log(
    `\nBytes on disk for each of ${transactions} transactions, ${BLOCK_TRANSACTIONS} in a block, FOREST, calls kept, compacted; microseconds of CPU for each cold read`,
  )
  console.log(
    '| Workload | Blocks per segment | Database only | Database after the move | Segments | Share | Receipt: database | segments | Unknown hash: database | segments | Move, CPU µs per transaction |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|---|')
  for (const kind of ['transfers', 'ERC-20 transfers'] as const) {
    for (const size of sizes) console.log(`| ${(await measure(kind, transactions, size)).join(' | ')} |`)
  }
}

async function measure(kind: Kind, transactions: number, segmentBlocks: number): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-segments-'))
  try {
    const { keccak } = await loadCrypto()
    const workload = new Workload(ACCOUNTS, await loadCrypto())
    const database = join(folder, 'database')
    const reopened = async <Value>(use: (chain: Chain) => Promise<Value>): Promise<Value> => {
      const chain = await open(folder, 'FOREST', true, workload)
      try {
        return await use(chain)
      } finally {
        await chain.close()
      }
    }
    const compacted = async (): Promise<number> => {
      await compactDatabase(database, { onTable: () => {}, signal: new AbortController().signal })
      return sizeOf(folder)
    }
    await reopened(async () => {})
    const empty = await compacted()
    const blocks = Math.ceil(transactions / BLOCK_TRANSACTIONS)
    const hashes: Hash[] = []
    await reopened(async (chain) => {
      for (let block = 0; block < blocks; block++) {
        const made = workload.transactions(kind, BLOCK_TRANSACTIONS)
        await extend(chain, made)
        hashes.push(...made.map(({ hash }) => hash))
      }
    })
    const before = (await compacted()) - empty
    const readBefore = await reopened(async ({ store }) => readCosts(store, hashes))
    const moveMicros = await reopened(async (chain) => {
      const startedAt = process.cpuUsage()
      const log = createLog({ level: 'ERROR', fd: 2 })
      const parts = { store: chain.store, keccak, clock: RESTLESS, log, hotBlocks: 1, segmentBlocks }
      await new HistoryMover(parts).moveAll()
      const { user, system } = process.cpuUsage(startedAt)
      return (user + system) / (chain.store.past.mark()!.end * BLOCK_TRANSACTIONS)
    })
    const after = (await compacted()) - empty
    const segments = sizeOf(join(database, 'segments'))
    const readAfter = await reopened(async ({ store }) => readCosts(store, hashes))
    const each = (bytes: number): string => (bytes / transactions).toFixed(0)
    return [
      kind,
      segmentBlocks,
      each(before),
      each(after - segments),
      each(segments),
      (after / before).toFixed(2),
      ...[readBefore.receipt, readAfter.receipt, readBefore.unknown, readAfter.unknown].map((micros) =>
        micros.toFixed(0),
      ),
      moveMicros.toFixed(0),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each receipt is found by the hash of its transaction, with new caches of decoded blocks. */
function readCosts(store: Chain['store'], hashes: readonly Hash[]) {
  const random = new Random(1, 0)
  const micros = (read: () => unknown): number => {
    const startedAt = process.cpuUsage()
    for (let each = 0; each < READS; each++) read()
    const { user, system } = process.cpuUsage(startedAt)
    return (user + system) / READS
  }
  const receipt = micros(() => {
    const lookup = new Lookup(store)
    const found = lookup.transactionInBlock(hashes[random.below(hashes.length)]!)
    const sender: Address | undefined = lookup.receipts(found!.known.hash)?.[found!.index]?.sender
    return sender
  })
  const unknown = micros(() => [...store.transactions(Buffer.from(random.bytes(32)))])
  return { receipt, unknown }
}
