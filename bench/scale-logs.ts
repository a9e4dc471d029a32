/** The cost to find rare logs in long chains through the indexes of segments. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { blocksWithLogs } from '#store/logged-blocks.ts'
import { META } from '#store/meta.ts'
import { PastBlocks, SEGMENT_BLOCKS } from '#store/segments/past-blocks.ts'
import { writeSegmentFile } from '#store/segments/segment-file.ts'
import type { SegmentBlock } from '#store/segments/segment-writer.ts'
import { Random } from '../test/support/random.ts'
import { percentile } from '../test/support/rpc-client.ts'

const HITS = 20
const QUERIES = 10
const HEADER_BYTES = 560
/** Hashes, roots and the seal; the bloom is mostly empty. */
const RANDOM_HEADER_BYTES = 160
const EMPTY_BODY = new Uint8Array([0xc0])
const GENESIS_HASH = new Uint8Array(32).fill(1)
const COMMON_ADDRESSES = 1_000

/** Each block has a log of the token and one of another contract; the rare address of each size logs in 20 blocks. */
export async function tellLogCosts(sizes: readonly number[]): Promise<void> {
  const chains = sizes.map((blocks, index) => ({
    end: blocks - (blocks % SEGMENT_BLOCKS),
    rare: new Uint8Array(20).fill(0xb0 + index),
  }))
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-logs-'))
  try {
    const end = Math.max(...chains.map((chain) => chain.end))
    for (let first = 0; first < end; first += SEGMENT_BLOCKS) {
      await writeSegment(folder, first, chains)
      if ((first / SEGMENT_BLOCKS) % 100 === 99) console.log(`  ${first + SEGMENT_BLOCKS} blocks`)
    }
    console.log(`\nFinding ${HITS} blocks with logs of one address in the indexes of segments`)
    console.log('| Blocks | Segments | First query, ms | Further ones, p50 | CPU of one, ms |')
    console.log('|---|---|---|---|---|')
    for (const chain of chains) console.log(`| ${(await measure(folder, chain)).join(' | ')} |`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface LoggingChain {
  readonly end: number
  readonly rare: Uint8Array
}

async function writeSegment(folder: string, first: number, chains: readonly LoggingChain[]): Promise<void> {
  const random = new Random(first, 0)
  const token = new Uint8Array(20).fill(0xaa)
  const blockAt = (number: number): SegmentBlock => {
    const isRare = ({ end }: LoggingChain): boolean => number < end && number % (end / HITS) < 1
    const common = new Uint8Array(20)
    new DataView(common.buffer).setUint32(0, random.below(COMMON_ADDRESSES))
    return {
      hash: random.bytes(32),
      header: Buffer.concat([
        random.bytes(RANDOM_HEADER_BYTES),
        Buffer.alloc(HEADER_BYTES - RANDOM_HEADER_BYTES),
      ]),
      body: EMPTY_BODY,
      receipts: EMPTY_BODY,
      callTrees: undefined,
      transactionHashes: [],
      logAddresses: [token, common, ...chains.filter(isRare).map(({ rare }) => rare)],
      logTopics: [],
      parties: undefined,
    }
  }
  const parts = { isStopped: () => false, pause: () => undefined, genesisHash: GENESIS_HASH }
  await writeSegmentFile({ folder, first, count: SEGMENT_BLOCKS, blockAt, ...parts })
}

async function measure(folder: string, { end, rare }: LoggingChain): Promise<unknown[]> {
  const kv = createMemoryKv()
  const batch = kv.batch()
  META.genesisHash.write(batch, GENESIS_HASH)
  META.moved.write(batch, { end, cleared: end, segmentBlocks: SEGMENT_BLOCKS })
  await batch.write({ sync: true })
  const past = new PastBlocks(kv, folder)
  const query = { fromBlock: 0, toBlock: end - 1, addresses: [rare], topics: [] }
  const milliseconds: number[] = []
  const cpu = process.cpuUsage()
  for (let index = 0; index < QUERIES; index++) {
    const start = performance.now()
    const found = await Array.fromAsync(blocksWithLogs({ kv, past }, query))
    if (found.length !== HITS) throw new Error(`${found.length} blocks were found instead of ${HITS}.`)
    milliseconds.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(cpu)
  past.close()
  const figures = [milliseconds[0]!, percentile(milliseconds.slice(1), 50), (user + system) / 1e3 / QUERIES]
  return [end, end / SEGMENT_BLOCKS, ...figures.map((each) => each.toFixed(1))]
}
