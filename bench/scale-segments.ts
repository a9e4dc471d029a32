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
import type { StorageFormat } from '#store/store.ts'
import { tableStats } from '#store/upkeep/table-stats.ts'
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import { Random } from '../test/support/random.ts'
import { type Kind, Workload } from './import-workload.ts'
import {
  ACCOUNTS,
  BLOCK_TRANSACTIONS,
  compactedSize,
  grow,
  nameOf,
  open,
  sizeOf,
  WARM_BLOCKS,
} from './scale-store.ts'

const READS = 1_000

export async function tellSegments(transactions: number, sizes: readonly number[]): Promise<void> {
  console.log(
    `\nBytes on disk for each of ${transactions} transactions, ${BLOCK_TRANSACTIONS} in a block, calls kept, compacted; microseconds of CPU for each cold read`,
  )
  console.log(
    '| Store | Workload | Blocks per segment | Database only | Database after the move | Segments | Share | Receipt: database | segments | Unknown hash: database | segments | Move, CPU µs per transaction |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|---|---|---|')
  const remainders: string[] = []
  for (const format of ['FOREST', 'BONSAI'] as const) {
    for (const kind of ['transfers', 'ERC-20 transfers'] as const) {
      for (const size of sizes) {
        const { row, staying } = await measure(format, kind, transactions, size)
        console.log(`| ${row.join(' | ')} |`)
        remainders.push(`${nameOf(format)}, ${kind}: ${staying || 'less than one'}`)
      }
    }
  }
  console.log(
    '\nKeys and values that stay in the database, in bytes per transaction before LevelDB packs them',
  )
  for (const remainder of remainders) console.log(remainder)
}

interface Measured {
  readonly row: readonly unknown[]
  /** Tables that grow after the move, the largest first. */
  readonly staying: string
}

/** Moves once before it counts, so the same blocks stay in the database before and after. */
async function measure(
  format: StorageFormat,
  kind: Kind,
  transactions: number,
  segmentBlocks: number,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-segments-'))
  try {
    const { keccak } = await loadCrypto()
    const workload = new Workload(ACCOUNTS, await loadCrypto())
    const chain = await open(folder, format, true, workload)
    const log = createLog({ level: 'ERROR', fd: 2 })
    const parts = { store: chain.store, keccak, clock: RESTLESS, log, hotBlocks: 1, segmentBlocks }
    const mover = new HistoryMover(parts)
    const wholeSegments = (blocks: number): number => Math.ceil(blocks / segmentBlocks) * segmentBlocks
    const segmentBytes = (): number => sizeOf(join(folder, 'database', 'segments'))
    await grow(chain, workload, kind, wholeSegments(WARM_BLOCKS))
    await mover.moveAll()
    const warm = await compactedSize(chain, folder)
    const warmSegments = segmentBytes()
    const warmTables = await tableStats(chain.store.kv, () => {})
    const hashes = await grow(
      chain,
      workload,
      kind,
      wholeSegments(Math.ceil(transactions / BLOCK_TRANSACTIONS)),
    )
    const before = (await compactedSize(chain, folder)) - warm
    const readBefore = readCosts(chain.store, hashes)
    const startedAt = process.cpuUsage()
    await mover.moveAll()
    const { user, system } = process.cpuUsage(startedAt)
    const after = (await compactedSize(chain, folder)) - warm
    const segments = segmentBytes() - warmSegments
    const readAfter = readCosts(chain.store, hashes)
    const tables = await tableStats(chain.store.kv, () => {})
    await chain.close()
    const each = (amount: number): string => (amount / hashes.length).toFixed(0)
    const staying = tables
      .map(({ table, bytes }, index) => ({ table, bytes: bytes - warmTables[index]!.bytes }))
      .filter(({ bytes }) => bytes >= hashes.length)
      .sort((a, b) => b.bytes - a.bytes)
      .map(({ table, bytes }) => `${table} ${each(bytes)}`)
      .join(', ')
    const row = [
      nameOf(format),
      kind,
      segmentBlocks,
      each(before),
      each(after - segments),
      each(segments),
      (after / before).toFixed(2),
      ...[readBefore.receipt, readAfter.receipt, readBefore.unknown, readAfter.unknown].map((micros) =>
        micros.toFixed(0),
      ),
      each(user + system),
    ]
    return { row, staying }
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
