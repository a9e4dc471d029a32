/** The chain of bench/read.ts: one token transfer in each block, and 200 in the last one. */

import { loadCrypto } from '#evm/crypto.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { extend, genesisTextOf, openBenchChain } from './bench-chain.ts'
import { TOKEN, Workload } from './import-workload.ts'
import { VARIATIONS } from './read-calls.ts'

const ACCOUNTS = 1_000
const LARGE_BLOCK = 200

export interface ReadChain {
  readonly genesisText: string
  /** Encoded blocks from number 1 on; the last one is large. */
  readonly blocks: readonly Uint8Array[]
  /** Large blocks that arrive during the measurement. */
  readonly further: readonly Uint8Array[]
  /** Encoded transactions of each block and each further block, for other nodes. */
  readonly transactions: readonly (readonly Uint8Array[])[]
  readonly holders: readonly string[]
}

export async function makeReadChain(count: number, further: number): Promise<ReadChain> {
  const workload = new Workload(ACCOUNTS, await loadCrypto())
  const genesisText = genesisTextOf(workload)
  const chain = await openBenchChain(genesisText, createMemoryKv())
  const blocks: Uint8Array[] = []
  const transactions: Uint8Array[][] = []
  for (let number = 1; number <= count + further; number++) {
    const candidates = workload.transactions('ERC-20 transfers', number < count ? 1 : LARGE_BLOCK)
    blocks.push(await extend(chain, candidates))
    transactions.push(candidates.map((each) => each.encoded))
  }
  const holders = [...workload.genesis.alloc.keys()].filter((address) => address !== TOKEN)
  return {
    genesisText,
    blocks: blocks.slice(0, count),
    further: blocks.slice(count),
    transactions,
    holders: holders.slice(0, VARIATIONS),
  }
}
