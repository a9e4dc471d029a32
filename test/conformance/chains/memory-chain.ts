// A chain in memory, for suites: the real store on the engine's stand-in for tests.
import { genesisHashOf } from '#chain/commit-genesis.ts'
import { type Chain, createChain } from '#chain/create-chain.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import { createMemoryKv, type MemoryKv } from '#store/memory-kv.ts'
import { openStoreOn } from '#store/open-store.ts'
import { type Genesis, parseGenesis } from '#types/genesis.ts'
import { formatGenesisFinding } from '#types/genesis-problems.ts'
import { hashToBytes } from '#types/hash.ts'

const STDERR = 2
const log = createLog({ level: 'ERROR', fd: STDERR })

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

/** All states are kept, so that the way back goes to block 0. */
export async function openMemoryChain(
  genesis: Genesis,
  kv: MemoryKv = createMemoryKv(),
): Promise<MemoryChain> {
  const [crypto, engine] = await Promise.all([
    loadCrypto(),
    chooseEngine(process.env.CAIRN_ENGINE, log, { forks: genesis.config.forks }),
  ])
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const { forks } = genesis.config.forks
  const store = await openStoreOn(kv, {
    format: 'FOREST',
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHash),
    forks,
    log,
  })
  const parts = { store, genesis, genesisHash, engine, crypto, clock: systemClock, log }
  const chain = await createChain({ ...parts, createHeaderRules })
  return { chain, kv, engine }
}
