// A chain in memory, for suites: the real store on the test implementation of the key-value engine.
import { openArchive } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import type { Engine } from '#evm/engine.ts'
import { createLog } from '#platform/log/log.ts'
import { createMemoryKv, type MemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { formatGenesisFinding } from '#types/genesis/genesis-problems.ts'

const log = createLog({ level: 'ERROR' })

export interface MemoryChain {
  readonly chain: Chain
  readonly kv: MemoryKv
  readonly engine: Engine
}

export function parseGenesisText(text: string): Genesis {
  const verdict = parseGenesis(text)
  if (verdict.ok) return verdict.genesis
  throw new Error(verdict.problems.map(formatGenesisFinding).join(' '))
}

/** Keeps all states, so the chain can be rewound to block 0. */
export async function openMemoryChain(
  genesis: Genesis,
  kv: MemoryKv = createMemoryKv(),
): Promise<MemoryChain> {
  const engine = await chooseEngine(process.env.CAIRN_ENGINE, log, { forks: genesis.config.forks })
  return { chain: await openArchive(genesis, kv, { engine, log, createHeaderRules }), kv, engine }
}
