/**
 * The chains of bench/growth.ts: one growing chain of token transfers, copied at every length. A block has one
 * transaction, the last block of every length has 200. Blocks are executed once and written to the database in large
 * batches: building and importing 100,000 blocks one by one would take longer than the measurement.
 */
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { offer, silentLog } from '#chain/chain.fixture.ts'
import { BlockExecutor } from '#chain/write/block-executor.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { formatData } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { genesisTextOf, openBenchChain, templateOn } from './bench-chain.ts'
import { TOKEN, Workload } from './import-workload.ts'
import { VARIATIONS } from './read-calls.ts'

export const NODE_KEY = `0x${'11'.repeat(32)}`
const ACCOUNTS = 1_000
const LARGE_BLOCK = 200
const BATCH_BLOCKS = 32
const PROGRESS_BLOCKS = 20_000
/** Blocks in which a rare address logs, for every length. */
export const RARE_HITS = 20
/** Logs its topic 7 without data. */
export const LOGGER_CODE = '0x600760006000a100'

export interface GrownChain {
  readonly length: number
  readonly dataPath: string
  /** Its logs are spread over the complete chain. */
  readonly rare: Address
}

export interface GrownChains {
  readonly genesisText: string
  readonly holders: readonly Address[]
  readonly chains: readonly GrownChain[]
}

/** Lengths are ascending; all chains are below `folder`. Only every `transactionEvery`th block has a transaction. */
export async function growChains(
  folder: string,
  lengths: readonly number[],
  transactionEvery = 1,
): Promise<GrownChains> {
  const workload = new Workload(ACCOUNTS, await loadCrypto())
  const rares = lengths.map((_, index) =>
    parseAddress(formatData(bigintToBytes(0xbb00n + BigInt(index), 20))),
  )
  const loggers = rares.map((rare) => [rare, { balance: '0x0', nonce: '0x1', code: LOGGER_CODE }])
  const genesisText = genesisTextOf(workload, Object.fromEntries(loggers))
  const growing = join(folder, 'growing')
  const chains: GrownChain[] = []
  const transactionsOf = (number: number): Transaction[] => {
    if (lengths.includes(number)) return workload.transactions('ERC-20 transfers', LARGE_BLOCK)
    const rare = rares.find((_, index) => logsIn(number, lengths[index]!, index))
    if (rare !== undefined) return [workload.call(rare)]
    return workload.transactions('ERC-20 transfers', number % transactionEvery === 0 ? 1 : 0)
  }
  const isKept = lengths.every((length) => existsSync(join(folder, String(length))))
  const start = performance.now()
  for (const [index, length] of lengths.entries()) {
    const dataPath = join(folder, String(length))
    chains.push({ length, dataPath, rare: rares[index]! })
    if (isKept) continue
    await growTo(length, genesisText, join(growing, 'database'), transactionsOf)
    // A node does not create a key next to a chain.
    writeFileSync(join(growing, 'key'), NODE_KEY)
    cpSync(growing, dataPath, { recursive: true })
    console.log(`${length} blocks after ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  }
  const holders = [...workload.genesis.alloc.keys()].filter((address) => address !== TOKEN)
  return { genesisText, holders: holders.slice(0, VARIATIONS), chains }
}

/** True if the rare address of a length logs in a block. `index` separates those of several lengths. */
function logsIn(number: number, length: number, index: number): boolean {
  return number <= length && (number + index + 1) % Math.floor(length / RARE_HITS) === 0
}

async function growTo(
  length: number,
  genesisText: string,
  path: string,
  transactionsOf: (number: number) => Transaction[],
): Promise<void> {
  const chain = await openBenchChain(genesisText, await openLevelKv(path, { createIfMissing: true }))
  const { store } = chain
  const executor = await executorOf(chain, genesisText)
  let { head } = chain
  let state = store.headState()
  let batch: Parameters<typeof store.commitBlocks>[0][number][] = []
  let committed = Promise.resolve()
  for (let number = Number(head.header.number) + 1; number <= length; number++) {
    const { executed, leftOut } = await executor.build(
      templateOn(head),
      head,
      state,
      offer(transactionsOf(number)),
    )
    if (leftOut.length > 0) throw new Error(JSON.stringify(leftOut))
    head = { hash: executed.hash, header: executed.block.header }
    state = executed.stored.state
    batch.push(executed.stored)
    if (number % PROGRESS_BLOCKS === 0) console.log(`  ${number} blocks made`)
    if (batch.length < BATCH_BLOCKS && number < length) continue
    await committed
    committed = store.commitBlocks(batch)
    batch = []
  }
  await committed
  await store.close()
}

async function executorOf({ store, head }: Chain, genesisText: string): Promise<BlockExecutor> {
  const verdict = parseGenesis(genesisText)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return new BlockExecutor({
    store,
    genesis: verdict.genesis,
    genesisHash: head.hash,
    engine: await chooseEngine(process.env.CAIRN_ENGINE, silentLog),
    crypto: await loadCrypto(),
    clock: systemClock,
    log: silentLog,
  })
}
