/** Benchmark chains: built in memory from the workload's transactions, block by block. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import { offer, openArchive, silentLog } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import type { Kv } from '#store/kv/kv.ts'
import { encodeBlock } from '#types/block/block.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { EXTRA_DATA, GENESIS_FIELDS, TOKEN, VALIDATOR, type Workload } from './import-workload.ts'

/** `further` are accounts in addition to the workload's. */
export function genesisTextOf(workload: Workload, further: Readonly<Record<string, object>> = {}): string {
  const alloc: Record<string, object> = {}
  for (const [address, { balance, nonce, code }] of workload.genesis.alloc) {
    const fields = { balance: formatQuantity(balance), nonce: formatQuantity(nonce) }
    alloc[address] = { ...fields, code: formatData(code) }
  }
  const word = (value: bigint): string => formatData(bigintToBytes(value, 32))
  const storage = [...workload.tokenStorage].map(([slot, value]) => [word(slot), word(value)])
  alloc[TOKEN] = { ...alloc[TOKEN], storage: Object.fromEntries(storage) }
  return JSON.stringify({ ...GENESIS_FIELDS, alloc: { ...alloc, ...further } })
}

export async function openBenchChain(genesisText: string, kv: Kv, keepCallTrees = true): Promise<Chain> {
  const verdict = parseGenesis(genesisText)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  const engine = await chooseEngine(process.env.CAIRN_ENGINE, silentLog)
  return openArchive(verdict.genesis, kv, { engine, traceStoreEnabled: keepCallTrees })
}

export function templateOn(parent: KnownHeader): BlockTemplate {
  return bftTemplate({
    parent: parent.hash,
    timestamp: parent.header.timestamp + 1n,
    coinbase: VALIDATOR,
    extraData: EXTRA_DATA,
  })
}

/** Builds a block from all candidates and makes it the head. */
export async function extend(chain: Chain, candidates: readonly Transaction[]): Promise<Uint8Array> {
  const { executed, leftOut } = await chain.build(templateOn(chain.head), offer(candidates))
  if (leftOut.length > 0) throw new Error(JSON.stringify(leftOut))
  const encoded = encodeBlock(executed.block)
  await importInto(chain, encoded)
  return encoded
}

export async function importInto(chain: Chain, encoded: Uint8Array): Promise<void> {
  const verdict = await chain.importBlock(chain.receive(encoded), { validation: 'none' })
  if (!verdict.ok) throw new Error(verdict.sentence)
}
