// One blockchain test case on the real chain and store: blocks on a genesis block, some of which must be refused.
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { createChain } from '#chain/write/create-chain.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { openStoreOn } from '#store/open-store.ts'
import { parseAddress } from '#types/address.ts'
import { decodeBlock } from '#types/block/block.ts'
import { Fault } from '#types/fault.ts'
import { ForkSchedule } from '#types/genesis/fork-schedule.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { GenesisAccount } from '#types/genesis/genesis-alloc.ts'
import type { GenesisConfig } from '#types/genesis/genesis-config.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import { parseDataLenient } from '#types/hex.ts'
import { isNamedVerdict } from './exceptions.ts'
import { configOf, type JsonBlobs } from './fork-rules.ts'
import type { JsonAccount } from './memory-state.ts'

interface JsonBlockchainTest {
  readonly network: string
  readonly genesisRLP: string
  readonly genesisBlockHeader: { readonly hash: string }
  readonly pre: Readonly<Record<string, JsonAccount>>
  readonly blocks: readonly { readonly rlp: string; readonly expectException?: string }[]
  readonly lastblockhash: string
  readonly config: { readonly blobSchedule?: Readonly<Record<string, JsonBlobs>> }
}

const log = createLog({ level: 'ERROR' })

/** Describes the deviation from the case, if there is one. */
export async function runBlockchainTest(
  engine: Engine,
  crypto: Crypto,
  test: JsonBlockchainTest,
): Promise<string | undefined> {
  const genesis = genesisOf(test)
  const hash = genesisHashOf(genesis, crypto.keccak)
  if (hash !== test.genesisBlockHeader.hash) return `the hash of the genesis is ${hash}`
  const { forks } = genesis.config.forks
  const options = {
    format: 'FOREST',
    historyBlocks: 512,
    genesisHash: hashToBytes(hash),
    forks,
    log,
  } as const
  const store = await openStoreOn(createMemoryKv(), options)
  const chain = await createChain({
    store,
    genesis,
    genesisHash: hash,
    engine,
    crypto,
    clock: systemClock,
    log,
  })
  for (const [index, { rlp, expectException }] of test.blocks.entries()) {
    const problem = await importBlock(parseDataLenient(rlp))
    const isSame = (problem !== undefined) === (expectException !== undefined)
    if (!isSame) {
      return `block ${index + 1} ${problem === undefined ? `accepted: ${expectException}` : `refused: ${problem}`}`
    }
    if (problem === undefined || expectException === undefined) continue
    if (!isNamedVerdict(expectException, problem)) {
      return `block ${index + 1} refused for ${problem}, but ${expectException} expected`
    }
  }
  return chain.head.hash === test.lastblockhash ? undefined : `the head is ${chain.head.hash}`

  async function importBlock(encoded: Uint8Array): Promise<string | undefined> {
    try {
      const verdict = await chain.importBlock(chain.receive(encoded), { validation: 'light' })
      return verdict.ok ? undefined : `${verdict.reason}: ${verdict.sentence}`
    } catch (error) {
      if (error instanceof Fault) return `${error.kind}: ${error.data.sentence}`
      throw error
    }
  }
}

function genesisOf(test: JsonBlockchainTest): Genesis {
  const { header } = decodeBlock(parseDataLenient(test.genesisRLP))
  return {
    config: completeConfig(configOf(test.network, test.config.blobSchedule)),
    header: {
      ...header,
      blobGasUsed: header.blobGasUsed ?? 0n,
      excessBlobGas: header.excessBlobGas ?? 0n,
      parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? ZERO_HASH,
      slotNumber: header.slotNumber ?? 0n,
    },
    alloc: new Map(
      Object.entries(test.pre).map(([address, account]) => [parseAddress(address), accountOf(account)]),
    ),
  }
}

const completed = new WeakMap<GenesisConfig, GenesisConfig>()

/** If a schedule begins with a BPO fork, block 0 has Osaka's fields only if the file names Osaka, as in Besu. */
function completeConfig(config: GenesisConfig): GenesisConfig {
  const { forks } = config.forks
  if (!forks.some(({ name, from }) => name.startsWith('bpo') && from === 0n)) return config
  const known = completed.get(config)
  if (known !== undefined) return known
  const named = Object.fromEntries(forks.map(({ name, from }) => [name, from]))
  const complete = { ...config, forks: new ForkSchedule({ osaka: 0n, ...named }) }
  completed.set(config, complete)
  return complete
}

function accountOf({ nonce, balance, code, storage }: JsonAccount): GenesisAccount {
  const slots = Object.entries(storage).map(([slot, value]) => [BigInt(slot), BigInt(value)] as const)
  return {
    nonce: BigInt(nonce),
    balance: BigInt(balance),
    code: parseDataLenient(code),
    storage: new Map(slots),
  }
}
